//! The unusual files of the vault.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::process::Command;

use tempfile::TempDir;
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

/// Larger than a note may be.
const HUGE: usize = 50_000_000;

/// Valid names of notes, without `.md`.
const NAMES: [&str; 34] = [
    "Plain",
    "Ελληνικά",
    "Русский язык",
    "日本語ノート",
    "한국어 노트",
    "简体中文",
    "العربية",
    "עברית",
    "हिन्दी",
    "ภาษาไทย",
    "ქართული",
    "தமிழ்",
    "Composed é",
    "Decomposed e\u{301}",
    "Crab 🦀",
    "Family 👩\u{200d}👩\u{200d}👧",
    "Flag 🇫🇮 tone 👍🏽",
    "Beyond 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠜎",
    "Dots...",
    "Space ",
    "Dot. ",
    "two  spaces",
    "1.5",
    "v1.2.md",
    "-dash",
    "50% off %20",
    "$HOME `id` & ; 'quoted'",
    "a=b, {c} (d) !e",
    "C# notes",
    "[draft] x",
    "a^b",
    "true",
    "Ünïcödé ﬁ ß İ",
    "~tilde~ @at +plus",
];

/// Characters of one to four bytes, repeated up to the longest name that a file can have.
const LONG: [char; 4] = ['n', 'é', '日', '🦀'];
const LONGEST: usize = 255;

/// A file that operations can name.
pub(super) struct File {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
}

/// A note with a unique word, tag, property and block.
fn note(path: String, number: usize) -> File {
    let text = format!(
        "---\nrow: {number} # counted\n---\n# Head\n\nlantern{number:04} #odd/row{number} [[Nowhere]] ^block{number}\n\n# Tail\n"
    );
    File { path, bytes: text.into_bytes() }
}

/// Notes that only have unusual names.
pub(super) fn notes() -> Vec<File> {
    let long = LONG.map(|c| c.to_string().repeat((LONGEST - ".md".len()) / c.len_utf8()));
    let names = NAMES.into_iter().map(str::to_owned).chain(long);
    let deep = "d/".repeat(60) + "deep";
    let paths = names.chain([deep]).map(|name| format!("Odd/{name}.md"));
    paths.enumerate().map(|(number, path)| note(path, number)).collect()
}

/// Notes whose names differ from others in the same folder only by case or Unicode normal form.
pub(super) fn twins() -> Vec<File> {
    let names = ["Twin", "TWIN", "twin", "Zoë", "Zoe\u{308}", "ZOË", "Å", "A\u{30a}", "\u{212b}"];
    let paths = names.map(|name| format!("Twins/{name}.md"));
    paths.into_iter().enumerate().map(|(number, path)| note(path, 1000 + number)).collect()
}

/// Paths without `.md` that not every system allows.
const UNPORTABLE: [&str; 12] = [
    "What is X?",
    "A: B",
    "a:b",
    "C:d",
    "a<b>c",
    "\"quoted\"",
    "star*",
    "pipe|d",
    "CON",
    "aux.notes",
    "Why?/Plain",
    "Trailing. /Plain",
];

/// Notes that operations serve, and whose names they give to no other file.
pub(super) fn unportable() -> Vec<File> {
    let paths = UNPORTABLE.map(|name| format!("Unportable/{name}.md"));
    paths.into_iter().enumerate().map(|(number, path)| note(path, 2000 + number)).collect()
}

/// Files that are not text or too large, and the code of the error.
pub(super) fn opaque() -> Vec<(File, &'static str)> {
    let text = b"# Head\n\nlantern\n";
    let repeated = |bytes: usize| text.repeat(bytes / text.len());
    [
        ("Latin.md", b"# Head\n\nlantern caf\xe9\n".to_vec(), "VALIDATION_ERROR"),
        ("Zero.md", b"# Head\n\nlantern\0\n".to_vec(), "VALIDATION_ERROR"),
        ("Cut.md", b"# Head\n\nlantern \xf0\x9f\xa6".to_vec(), "VALIDATION_ERROR"),
        ("Surrogate.md", b"# Head\n\nlantern \xed\xa0\x80\n".to_vec(), "VALIDATION_ERROR"),
        ("Picture.md", b"\x89PNG\r\n\x1a\n\0\0# Head".to_vec(), "VALIDATION_ERROR"),
        ("Picture.png", b"\x89PNG\r\n\x1a\n\0\0# Head".to_vec(), "VALIDATION_ERROR"),
        ("Huge.md", repeated(HUGE), "RESULT_TOO_LARGE"),
        ("Huge.bin", repeated(HUGE / 2), "RESULT_TOO_LARGE"),
    ]
    .map(|(name, bytes, code)| (File { path: format!("Opaque/{name}"), bytes }, code))
    .into()
}

/// The entries of `Left out`, which no operation reaches: symbolic links with their targets.
const LINKS: [(&str, &str); 7] = [
    ("inside.md", "../Odd/Plain.md"),
    ("outside.md", "/etc/hostname"),
    ("folder", "../Odd"),
    ("root", "/"),
    ("loop", "loop"),
    ("up", ".."),
    ("dangling.md", "gone.md"),
];
const PIPE: &str = "pipe.md";
/// A name that is not text.
const BYTES: &[u8] = b"bytes \xff\xfe.md";

/// The names in `Left out` that can be requested, and the number of all names there.
pub(super) fn left_out() -> (Vec<String>, usize) {
    let names = LINKS.map(|(name, _)| name).into_iter().chain([PIPE]);
    let mut paths: Vec<String> = names.map(|name| format!("Left out/{name}")).collect();
    let count = paths.len() + 1;
    let through = ["folder/Plain.md", "root/etc/hostname", "loop/x.md", "up/Hub.md"];
    paths.extend(through.map(|path| format!("Left out/{path}")));
    (paths, count)
}

/// The whole vault, with a link to every file that a link can name in `Hub.md`, one per line.
pub(super) fn vault() -> TempDir {
    let vault = vaults::empty();
    let root = vault.path();
    let opaque = opaque().into_iter().map(|(file, _)| file);
    let files: Vec<File> = notes().into_iter().chain(opaque).chain(unportable()).collect();
    let hub: Vec<String> = files.iter().map(|file| format!("- {}\n", link(&file.path))).collect();
    for File { path, bytes } in files.iter().chain(&twins()) {
        put(&root.join(path), bytes);
    }
    put(&root.join("Hub.md"), hub.concat().as_bytes());
    put(&root.join("Empty.md"), b"");
    let left_out = root.join("Left out");
    put(&left_out.join(OsStr::from_bytes(BYTES)), b"# Head\n\nlantern\n");
    for (name, target) in LINKS {
        symlink(target, left_out.join(name)).unwrap();
    }
    let made = Command::new("mkfifo").arg(left_out.join(PIPE)).status().unwrap();
    assert!(made.success());
    vault
}

/// A wikilink, or a Markdown link if the name contains what a wikilink cannot. Spaces around a wikilink's
/// target are ignored, so a name that ends with one needs its extension.
fn link(path: &str) -> String {
    if path.ends_with(" .md") {
        return format!("[[{path}]]");
    }
    if !path.contains(['#', '^', '[', ']', '|']) {
        return format!("[[{}]]", path.strip_suffix(".md").unwrap_or(path));
    }
    let encoded: Vec<String> = path.bytes().map(|byte| format!("%{byte:02X}")).collect();
    format!("[odd]({})", encoded.concat())
}
