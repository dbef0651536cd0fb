//! A manifest of five hundred operations in a dozen categories, which can be served as it is.

use std::fmt::Write as _;

const CATEGORIES: usize = 12;
const OPERATIONS: usize = 42;

/// The number of its operations.
pub const TOTAL: usize = CATEGORIES * OPERATIONS;

/// The manifest. Its operations are bound to an API that does not exist.
pub fn manifest() -> String {
    let mut yaml = "\
toolwrit: 1
server: { name: large }
focus: { full: { allow: ['*'] }, look: { allow: [{ effect: read }] } }
roles: { owner: { allow: ['*'] }, reader: { allow: [{ effect: read }] } }
types:
  Path: { type: string, min_length: 1, example: a/b }
  Done: { fields: { path: Path, total: integer } }
providers:
  api: { title: Tasks, summary: The API of the tasks., http: { base: 'http://127.0.0.1:9' } }
categories:
"
    .to_owned();
    for category in 0..CATEGORIES {
        writeln!(yaml, "  area{category}: {{ summary: Things of area {category}. }}").unwrap();
    }
    yaml.push_str("operations:\n");
    for category in 0..CATEGORIES {
        for operation in 0..OPERATIONS {
            let (effect, method) =
                if operation % 3 == 0 { ("write", "post") } else { ("read", "get") };
            writeln!(
                yaml,
                "  area{category}.task{operation}:
    summary: Do task {operation} of area {category}.
    effect: {effect}
    params: {{ path: Path, 'mode?': {{ enum: [fast, safe] }}, 'count?': {{ type: integer, min: 1, max: 100 }} }}
    returns: Done
    asks: [do task {operation} in area {category}]
    http: {{ {method}: /{category}/{operation}, query: {{ path: $path, 'mode?': $mode, 'count?': $count }} }}"
            )
            .unwrap();
        }
    }
    yaml
}
