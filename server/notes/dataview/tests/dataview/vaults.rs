//! The vaults that queries run on: one written by hand, one generated.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use tempfile::TempDir;
use toolwrit_dataview::{Dataview, QueryOptions};
use toolwrit_vault::Vault;

/// When all files of the vaults were changed last: 2024-03-03T12:00:00Z.
const MODIFIED: u64 = 1_709_467_200;
/// The current time of all queries: 2024-03-06T10:20:30Z, a Wednesday.
const NOW: i64 = 1_709_720_430;

/// A vault in a temporary folder.
pub(crate) struct Sandbox {
    pub(crate) folder: TempDir,
    pub(crate) vault: Vault,
    pub(crate) dataview: Dataview,
}

impl Sandbox {
    /// The vault in `tests/dataview/library`.
    pub(crate) fn library() -> Self {
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dataview/library");
        Self::with_files(files(&library, &library))
    }

    /// A vault of generated notes.
    pub(crate) fn generate(notes: usize) -> Self {
        Self::with_files((0..notes).map(note))
    }

    /// A vault of some files.
    pub(crate) fn with_files(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let folder = TempDir::new().unwrap();
        for (path, text) in files {
            write(folder.path(), &path, &text);
        }
        let vault = Vault::open(folder.path()).unwrap();
        let dataview = Dataview::new(vault.clone());
        Self { folder, vault, dataview }
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        write(self.folder.path(), path, text);
    }
}

/// At the fixed time, in UTC.
pub(crate) fn options() -> QueryOptions {
    let now = Timestamp::from_second(NOW).unwrap();
    QueryOptions { now: Zoned::new(now, TimeZone::UTC), ..QueryOptions::default() }
}

fn write(folder: &Path, path: &str, text: &str) {
    let place = folder.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, text).unwrap();
    let file = fs::File::options().write(true).open(&place).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(MODIFIED)).unwrap();
}

/// The files below a folder, with their paths in the vault `root`.
fn files(root: &Path, folder: &Path) -> Vec<(String, String)> {
    let mut places: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    places.sort();
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            found.extend(files(root, &place));
        } else {
            let path = place.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.push((path, fs::read_to_string(&place).unwrap()));
        }
    }
    found
}

/// The note with a number: properties, inline fields, links, tags, tasks.
pub(crate) fn note(number: usize) -> (String, String) {
    const STATES: [&str; 4] = ["open", "active", "done", "dropped"];
    const MARKS: [char; 4] = [' ', 'x', '/', '-'];
    let n = number;
    let path = format!("Area {}/Note {n}.md", n % 7);
    let day = format!("2024-{:02}-{:02}", n % 12 + 1, n % 28 + 1);
    let mut text = format!(
        "---\nkind: {}\nscore: {}\nwhen: {day}\ntags: [t{}, area/{}]\n",
        ["memo", "log", "idea"][n % 3],
        n * 37 % 101,
        n % 5,
        n % 7,
    );
    if n.is_multiple_of(4) {
        writeln!(text, "ratio: {}.{}", n % 3, n % 10).unwrap();
    }
    if n % 6 == 1 {
        writeln!(text, "aka: [\"N{n}\", \"number {n}\"]").unwrap();
    }
    writeln!(text, "---\n# Note {n}\n\nstate:: {}", STATES[n % 4]).unwrap();
    writeln!(text, "prev:: [[Note {}]]", n.saturating_sub(1)).unwrap();
    if n.is_multiple_of(3) {
        writeln!(text, "took:: {} hours {} min", n % 9 + 1, n % 50).unwrap();
    }
    write!(
        text,
        "\nSee [[Note {}]] and [[Note {}|other]]. #mark{}\n\n",
        n * 3 % 50,
        n * 7 % 50,
        n % 2
    )
    .unwrap();
    for task in 0..n % 4 {
        let mark = MARKS[(n + task) % 4];
        writeln!(text, "- [{mark}] task {task} of {n} [weight:: {}]", task * n % 11).unwrap();
        if task == 1 {
            writeln!(
                text,
                "    - [{}] part of it 📅 {day}\n    - remark [[Note {n}]]",
                MARKS[n % 4]
            )
            .unwrap();
        }
    }
    (path, text)
}
