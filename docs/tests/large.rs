//! The site of a large authority: five hundred operations in a dozen categories.
#![allow(missing_docs, reason = "a test binary has no public items")]
#![expect(clippy::unwrap_used, reason = "writing to a string cannot fail")]

mod book;

use std::fmt::Write as _;

use book::{Book, load_text};
use toolwrit_docs::build;

const CATEGORIES: usize = 12;
const OPERATIONS: usize = 42;
/// The largest page of an operation, in bytes.
const LARGEST: usize = 40_000;
/// The largest page that lists all operations.
const LARGEST_LIST: usize = 300_000;

fn manifest() -> String {
    let mut yaml = "toolwrit: 1\nserver: { name: large }\nfocus:\n  full: { allow: ['*'] }\n  look: { allow: \
                    [{ effect: read }] }\nroles:\n  owner: { allow: ['*'] }\n  reader: { allow: [{ effect: read }] \
                    }\ntypes:\n  Path: { type: string, min_length: 1, example: a/b }\n  Done: { fields: { path: Path, total: integer } }\ncategories:\n"
        .to_owned();
    for category in 0..CATEGORIES {
        writeln!(yaml, "  area{category}: {{ summary: Things of area {category}. }}").unwrap();
    }
    yaml.push_str("operations:\n");
    for category in 0..CATEGORIES {
        for operation in 0..OPERATIONS {
            let effect = if operation % 3 == 0 { "write" } else { "read" };
            write!(
                yaml,
                "  area{category}.task{operation}:\n    summary: Do task {operation} of area {category}.\n    \
                 effect: {effect}\n    params:\n      path: Path\n      mode?: {{ enum: [fast, safe] }}\n      count?: {{ type: integer, min: 1, max: 100 }}\n    returns: Done\n    asks: [do task {operation} in area \
                 {category}]\n"
            )
            .unwrap();
        }
    }
    yaml
}

#[test]
fn the_pages_of_five_hundred_operations_are_small() {
    let folder = tempfile::tempdir().unwrap();
    let site = build(&load_text(&manifest()), None, &[], folder.path()).unwrap();
    assert!(site.pages > CATEGORIES * OPERATIONS);
    let book = Book::open(folder.path());
    for path in book.paths() {
        let most = if path.starts_with("operations/") { LARGEST } else { LARGEST_LIST };
        assert!(book.file(path).len() < most, "{path}: {} bytes", book.file(path).len());
    }
}
