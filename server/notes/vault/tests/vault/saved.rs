//! The index that is saved in the user's cache, and how the next start uses it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use toolwrit_vault::{Folder, OpenOptions, SearchPattern, Vault};

use crate::index::{answers, search};
use crate::{Sandbox, generated, never, path};
use toolwrit_requirement::number;

/// A vault with a saved index.
struct Kept {
    sandbox: Sandbox,
    cache: TempDir,
}

fn open_with_cache(sandbox: &Sandbox, cache: PathBuf) -> Vault {
    let state = Some(sandbox.beside("state"));
    let options = OpenOptions { state, cache: Some(cache), ..OpenOptions::default() };
    Vault::open_with(sandbox.file(""), options).unwrap()
}

impl Kept {
    fn new() -> Self {
        Self { sandbox: Sandbox::new(), cache: TempDir::new().unwrap() }
    }

    fn open(&self) -> Vault {
        open_with_cache(&self.sandbox, self.cache.path().join("indexes"))
    }

    /// The file of the index, once a vault that has used the index is closed.
    fn file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.cache.path().join("indexes")).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        file
    }
}

#[test]
fn a_saved_index_gives_the_results_of_a_new_one() {
    let kept = Kept::new();
    let sandbox = &kept.sandbox;
    generated::write(&sandbox.file(""), 300);
    sandbox.put("board.canvas", r#"{"nodes":[{"file":"gone.md"}]}"#);
    sandbox.put("gone.md", "alpha");
    sandbox.put("changed.md", "alpha #tag");
    assert_eq!(search(&kept.open(), &SearchPattern::text("alpha").unwrap(), 9).total_hits, 2);
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
    let found = search(&copy.open(), &SearchPattern::text("alpha").unwrap(), 9);
    assert_eq!(found.hits[0].path, path("a.md"), "an index of another folder");
}

/// The length of the head before the content: the seal, and the sealed length and digest.
const HEAD: usize = 32 + 8 + 32;

/// A file with this content, sealed with a key.
fn seal(content: &[u8], key: &[u8]) -> Vec<u8> {
    let (length, digest) = (content.len().to_le_bytes(), Sha256::digest(content));
    let mut seal = Hmac::<Sha256>::new_from_slice(key).unwrap();
    for part in [b"toolwrit index\0", &length[..], &digest] {
        seal.update(part);
    }
    [&seal.finalize().into_bytes()[..], &length, &digest, content].concat()
}

#[test]
fn an_index_saved_by_another_user_is_not_read() {
    let kept = Kept::new();
    kept.sandbox.put("n.md", "alpha");
    let note = fs::File::options().write(true).open(kept.sandbox.file("n.md")).unwrap();
    note.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(1)).unwrap();
    let before = answers(&kept.open());
    assert_eq!(before["alpha"].len(), 1);
    let saved = fs::read(kept.file()).unwrap();
    let mut content = saved[HEAD..].to_vec();
    let at = content.windows(5).position(|bytes| bytes == b"alpha").unwrap();
    content[at..at + 5].copy_from_slice(b"owned");
    let length = |file: &[u8]| u64::from_le_bytes(file[32..40].try_into().unwrap());
    let forged = seal(&content, &[0; 32]);
    let longer = [&saved[..32], &(length(&saved) + 1).to_le_bytes(), &saved[40..]].concat();
    let replayed = [&saved[..HEAD], &content].concat();
    for other in [&forged, &longer, &replayed, &saved[..HEAD].to_vec(), &saved[..20].to_vec()] {
        fs::write(kept.file(), other).unwrap();
        assert_eq!(answers(&kept.open()), before);
    }
}

/// What saved data is, its format, the program, and the vault's folder.
type Header = (String, u32, String, (u64, u64));

/// Any sealed content is either a valid index, or the index is built from the notes.
#[test]
fn an_invalid_saved_index_is_rebuilt() {
    let kept = Kept::new();
    generated::write(&kept.sandbox.file(""), 20);
    drop(answers(&kept.open()));
    let key = fs::read(kept.sandbox.beside("state/key")).unwrap();
    let saved = fs::read(kept.file()).unwrap()[HEAD..].to_vec();
    let mut random = generated::Random(7);
    for _ in 0..number(150, 1500) {
        let mut content = saved.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(content.len());
            content[at] = [0, 1, 0x7F, 0x80, 0xFF][random.below(5)];
        }
        if random.below(8) == 0 {
            content.truncate(random.below(saved.len()));
        }
        fs::write(kept.file(), seal(&content, &key)).unwrap();
        drop(answers(&kept.open()));
    }
    // A deeply nested value.
    let rest = postcard::take_from_bytes::<Header>(&saved).unwrap().1;
    let header = &saved[..saved.len() - rest.len()];
    let file = [&b"\x01\x01\x04a.md\x01\0\0\0\0\0\0\x01\x01k"[..], &b"\x04\x01".repeat(2_000_000)]
        .concat();
    let content = [header, &file, &[0; 12]].concat();
    fs::write(kept.file(), seal(&content, &key)).unwrap();
    drop(answers(&kept.open()));
}

/// A file with an unchanged stamp is not read again, even if its content differs. That shows
/// whether a start reads the file or uses the saved index.
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
fn the_index_works_without_a_writable_cache_folder() {
    let kept = Kept::new();
    kept.sandbox.put("a.md", "alpha");
    fs::write(kept.cache.path().join("indexes"), "a file").unwrap();
    assert_eq!(search(&kept.open(), &SearchPattern::text("alpha").unwrap(), 9).total_hits, 1);
}

#[test]
fn the_number_of_saved_indexes_is_limited() {
    let cache = TempDir::new().unwrap();
    let other = cache.path().join("not-ours");
    fs::write(&other, "").unwrap();
    let sandboxes: Vec<_> = (0..18).map(|_| Sandbox::new()).collect();
    for sandbox in &sandboxes {
        let vault = open_with_cache(sandbox, cache.path().to_owned());
        sandbox.put("a.md", "alpha");
        vault.wait_for_index(&never).unwrap();
    }
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 16 + 1);
    assert!(other.exists());
}
