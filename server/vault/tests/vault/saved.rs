//! An index that is kept in the user's cache, and what the next start makes of it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use toolwrit_vault::{Folder, Pattern, Vault};

use crate::index::{answers, search};
use crate::{Sandbox, generated, never, path};

/// A vault whose index is kept, and where.
struct Kept {
    sandbox: Sandbox,
    cache: TempDir,
}

impl Kept {
    fn new() -> Self {
        Self { sandbox: Sandbox::new(), cache: TempDir::new().unwrap() }
    }

    fn open(&self) -> Vault {
        Vault::open_cached(self.sandbox.file(""), self.cache.path().join("indexes")).unwrap()
    }

    /// The file of the index, once a vault that has been asked for it is closed.
    fn file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.cache.path().join("indexes")).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        file
    }
}

#[test]
fn a_saved_index_answers_as_a_new_one_whatever_happened_to_the_vault_or_to_it() {
    let kept = Kept::new();
    let sandbox = &kept.sandbox;
    generated::write(&sandbox.file(""), 300);
    sandbox.put("board.canvas", r#"{"nodes":[{"file":"gone.md"}]}"#);
    sandbox.put("gone.md", "alpha");
    sandbox.put("changed.md", "alpha #tag");
    assert_eq!(search(&kept.open(), &Pattern::text("alpha").unwrap(), 9).total_hits, 2);
    assert!(!sandbox.file(".toolwrit").exists(), "whoever only reads leaves nothing in a vault");
    let bytes = fs::read(kept.file()).unwrap();
    let before = answers(&kept.open());
    assert_eq!(answers(&kept.open()), before);

    fs::remove_file(sandbox.file("gone.md")).unwrap();
    sandbox.put("changed.md", "beta");
    sandbox.put("new/added.md", "gamma [[changed]]");
    fs::write(kept.file(), &bytes).unwrap();
    let after = answers(&kept.open());
    assert_eq!(after["alpha"], Vec::<String>::new());
    assert_eq!(after["gamma"], ["new/added.md:1:1:gamma [[changed]]"]);
    assert_ne!(after, before);

    let mut broken = bytes.clone();
    let middle = broken.len() / 2;
    broken[middle] ^= 1;
    for other in [&broken[..], &bytes[..middle], b"", b"index"] {
        fs::write(kept.file(), other).unwrap();
        assert_eq!(answers(&kept.open()), after);
    }
    let copy = Kept::new();
    copy.sandbox.put("a.md", "alpha");
    copy.open().wait_for_index(&never).unwrap();
    fs::write(copy.file(), &bytes).unwrap();
    let found = search(&copy.open(), &Pattern::text("alpha").unwrap(), 9);
    assert_eq!(found.hits[0].path, path("a.md"), "an index of another folder");
}

/// A file that looks as it did when it was read is not read again, whatever is in it: that shows who
/// reads and who remembers.
#[test]
fn the_next_start_reads_only_what_has_changed() {
    let kept = Kept::new();
    let put = |text: &str| {
        fs::write(kept.sandbox.file("a.md"), text).unwrap();
        let file = fs::File::options().write(true).open(kept.sandbox.file("a.md")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(1)).unwrap();
    };
    let tags = |vault: &Vault| {
        let tags = vault.tags(&Folder::ROOT, &never).unwrap();
        tags.into_iter().map(|tag| tag.tag).collect::<Vec<_>>()
    };
    put("#one");
    assert_eq!(tags(&kept.open()), ["one"]);
    put("#two");
    assert_eq!(tags(&kept.open()), ["one"], "not read");
    fs::remove_file(kept.file()).unwrap();
    assert_eq!(tags(&kept.open()), ["two"], "nothing is remembered");
}

#[test]
fn a_folder_of_indexes_that_cannot_be_written_is_done_without() {
    let kept = Kept::new();
    kept.sandbox.put("a.md", "alpha");
    fs::write(kept.cache.path().join("indexes"), "a file").unwrap();
    assert_eq!(search(&kept.open(), &Pattern::text("alpha").unwrap(), 9).total_hits, 1);
}

#[test]
fn only_so_many_indexes_are_kept() {
    let cache = TempDir::new().unwrap();
    let other = cache.path().join("not-ours");
    fs::write(&other, "").unwrap();
    let sandboxes: Vec<_> = (0..18).map(|_| Sandbox::new()).collect();
    for sandbox in &sandboxes {
        let vault = Vault::open_cached(sandbox.file(""), cache.path().to_owned()).unwrap();
        sandbox.put("a.md", "alpha");
        vault.wait_for_index(&never).unwrap();
    }
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 16 + 1);
    assert!(other.exists());
}
