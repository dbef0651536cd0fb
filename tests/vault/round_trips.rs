//! A change that is taken back leaves every byte of a real vault: a text written as it was read, a property, a section, a name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::files::put;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{number, skip};
use toolwrit_tests::vaults::{contents, generate};

use crate::vault::Session;

/// Names a folder of which each folder is a public vault.
const VAULTS: &str = "TOOLWRIT_VAULTS";

/// At most so many files of a vault are renamed: after each, the whole vault is compared.
const MOST_RENAMED: usize = 300;

/// Files whose links are written otherwise after a rename and its reverse, by vault, and why.
const EXCEPTIONS: [(&str, &str, &str); 2] = [
    (
        "sample",
        "Projects/Walled garden.md",
        "a link has a path, and the vault's settings ask for the shortest links",
    ),
    (
        "kepano",
        "Notes/Evergreen notes turn ideas into objects that you can manipulate.md",
        "a link is in lower case, and a link that is rewritten has the case of the name",
    ),
];

/// A served copy of a vault, with what it had at first.
struct Copy {
    name: String,
    session: Session,
    before: BTreeMap<String, Vec<u8>>,
    /// What was not as before.
    failures: Vec<String>,
}

impl Copy {
    fn of(name: String, folder: TempDir) -> Self {
        let before = files_of_others(folder.path());
        Self { name, session: Session::on(folder, &[]), before, failures: Vec::new() }
    }

    /// The files that operations can name, or only the notes.
    fn files(&self, only_notes: bool) -> Vec<String> {
        let is_visible = |path: &str| !path.split('/').any(|name| name.starts_with('.'));
        let is_note = |path: &str| Path::new(path).extension().is_some_and(|end| end == "md");
        let is_asked = |path: &str| if only_notes { is_note(path) } else { !path.ends_with('/') };
        let files = self.before.keys().filter(|path| is_visible(path) && is_asked(path));
        files.cloned().collect()
    }

    /// A note as JSON; `None` if it is too large to be read whole.
    fn read(&mut self, path: &str) -> Option<Value> {
        let call = json!({"path": path, "format": "json", "max_bytes": 1_048_576});
        let note = self.session.call("read", call).ok();
        (note["truncated"] != true).then_some(note)
    }

    /// Calls an operation; a failure is recorded.
    fn change(&mut self, operation: &str, arguments: Value) {
        let told = format!("{}: {operation} {arguments}", self.name);
        let result = self.session.call(operation, arguments);
        if result.is_error() {
            self.failures.push(format!("{told}: {}", result.text()));
        }
    }

    /// Records the files that differ and are no exceptions, and puts them back.
    fn compare(&mut self, done: &str) {
        let after = files_of_others(self.session.folder.path());
        let paths =
            after.keys().chain(self.before.keys().filter(|path| !after.contains_key(*path)));
        for path in paths {
            let (was, is) = (self.before.get(path), after.get(path));
            if was == is {
                continue;
            }
            let show = |bytes: Option<&Vec<u8>>| {
                bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            };
            let (old, new) = (show(was).unwrap_or_default(), show(is).unwrap_or_default());
            let line = old.lines().zip(new.lines()).find(|(old, new)| old != new);
            let place = (self.name.as_str(), path.as_str());
            if !EXCEPTIONS.iter().any(|(vault, path, _)| (*vault, *path) == place) {
                self.failures.push(format!("{}: {done}: {path}: {line:?}", self.name));
            }
            if let Some(bytes) = was {
                fs::write(self.session.folder.path().join(path), bytes).unwrap();
            }
        }
    }
}

/// What a vault has, without the server's own folder.
fn files_of_others(vault: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = contents(vault);
    found.retain(|path, _| !path.starts_with(".toolwrit/"));
    found
}

/// The vaults of the project; in a full run also public ones. Each is a copy.
fn copies() -> Vec<Copy> {
    let own = ["server/sample", "server/notes/dataview/tests/dataview/library"];
    let mut folders: Vec<PathBuf> = own.iter().map(|folder| workspace().join(folder)).collect();
    folders.extend(number::<fn() -> Vec<PathBuf>>(Vec::new, public)());
    let copied = folders.iter().map(|folder| {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        Copy::of(name, copy_writable(folder))
    });
    let generated = Copy::of("generated".to_owned(), generate(number(30, 300)));
    copied.chain([generated]).collect()
}

/// A copy of a vault, whose files may be changed even if those of the vault may not.
fn copy_writable(vault: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for (path, bytes) in contents(vault).iter().filter(|(path, _)| !path.ends_with(['/', '@', '|']))
    {
        put(&copy.path().join(path), bytes);
    }
    copy
}

/// The public vaults; none if they are absent, which is said.
fn public() -> Vec<PathBuf> {
    let Some(vaults) = std::env::var_os(VAULTS).map(PathBuf::from) else {
        skip(&format!("{VAULTS} names no folder with public vaults"));
        return Vec::new();
    };
    let entries = fs::read_dir(&vaults).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// Runs a check on each vault. Its files must be as before, and no call may have failed.
fn check(each: impl Fn(&mut Copy)) {
    let mut failures = Vec::new();
    for mut copy in copies() {
        each(&mut copy);
        copy.compare("at the end");
        failures.extend(copy.failures);
    }
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
}

#[test]
fn a_note_written_as_it_was_read_has_its_bytes() {
    check(|copy| {
        for path in copy.files(true) {
            if let Some(note) = copy.read(&path) {
                let text = &note["content"];
                copy.change(
                    "write",
                    json!({"path": path, "content": text, "if_match": note["etag"]}),
                );
            }
        }
    });
}

#[test]
fn a_property_that_is_set_and_removed_leaves_nothing() {
    check(|copy| {
        for path in copy.files(true) {
            let Some(note) = copy.read(&path) else { continue };
            let set = json!({
                "path": path, "target_type": "frontmatter", "target": "round trip",
                "operation": "replace", "content": ["a", 1], "create_if_missing": true
            });
            let remove = json!({
                "path": path, "target_type": "frontmatter", "target": "round trip",
                "operation": "delete"
            });
            for call in [set, remove] {
                if note["frontmatter_error"].is_null() {
                    copy.change("patch", call);
                } else {
                    // Invalid frontmatter is refused.
                    copy.session.call("patch", call);
                }
            }
        }
    });
}

/// The headings of a note, each with the list that names it and the number of its line.
fn headings(note: &Value) -> Vec<(String, usize)> {
    let found = note["headings"].as_array().cloned().unwrap_or_default();
    let level = |heading: &Value| heading["level"].as_u64().unwrap();
    let name = |at: usize| found[at]["text"].as_str().unwrap().trim();
    let parent = |at: usize| (0..at).rev().find(|above| level(&found[*above]) < level(&found[at]));
    let is_sibling =
        |at: usize, other: usize| parent(at) == parent(other) && name(at) == name(other);
    let list = |at: usize| {
        let mut items = Vec::new();
        let mut next = Some(at);
        while let Some(at) = next {
            if (0..found.len()).any(|other| other != at && is_sibling(at, other)) {
                let number = (0..=at).filter(|other| is_sibling(at, *other)).count();
                items.push(json!(number));
            }
            items.push(json!(name(at)));
            next = parent(at);
        }
        items.reverse();
        Value::Array(items).to_string()
    };
    let line = |at: usize| usize::try_from(found[at]["line"].as_u64().unwrap()).unwrap();
    (0..found.len()).map(|at| (list(at), line(at))).collect()
}

/// The text of a note from a line on.
fn text_from(note: &Value, line: usize) -> String {
    let text = note["content"].as_str().unwrap();
    text.split_inclusive('\n').skip(line - 1).collect()
}

#[test]
fn a_section_written_as_it_was_read_has_its_bytes() {
    check(|copy| {
        for path in copy.files(true) {
            let Some(note) = copy.read(&path) else { continue };
            for (list, _) in headings(&note) {
                let section =
                    copy.session.call("read", json!({"path": path, "heading": list})).ok();
                let call = json!({
                    "path": path, "target_type": "heading", "target": list, "operation": "replace",
                    "scope": "marker_and_content", "content": section["content"],
                    "if_match": section["etag"]
                });
                copy.change("patch", call);
                let is_same = fs::read(copy.session.path(&path)).unwrap() == copy.before[&path];
                if !is_same {
                    copy.compare(&list);
                }
            }
        }
    });
}

/// The files whose names are given back as they were: links to one of several equal names become paths, and no new file
/// gets a name that some systems do not allow.
fn renameable(files: Vec<String>) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap().to_lowercase();
    let mut counts = BTreeMap::new();
    for path in &files {
        *counts.entry(name(path)).or_insert(0) += 1;
    }
    let is_allowed = |path: &str| !name(path).contains([':', '*', '?', '"', '<', '>', '|', '\\']);
    files.into_iter().filter(|path| counts[&name(path)] == 1 && is_allowed(path)).collect()
}

#[test]
fn a_name_that_is_given_back_leaves_the_links() {
    check(|copy| {
        let files = renameable(copy.files(false));
        let step = files.len().div_ceil(MOST_RENAMED).max(1);
        for path in files.into_iter().step_by(step) {
            let file = Path::new(&path);
            let old = file.file_name().unwrap().to_str().unwrap();
            let new = match file.extension() {
                Some(extension) => format!("Round trip.{}", extension.to_str().unwrap()),
                None => "Round trip".to_owned(),
            };
            copy.change("rename", json!({"path": path, "name": new}));
            let renamed = file.with_file_name(&new);
            copy.change("rename", json!({"path": renamed, "name": old}));
            copy.compare(&format!("rename {path}"));
        }
    });
}

/// The names that an error lists for a heading that is there several times, each with its line.
fn listed(message: &str) -> Vec<(String, usize)> {
    let lists = message.match_indices("`[").filter_map(|(start, _)| {
        let rest = &message[start + 1..];
        let mut lists = serde_json::Deserializer::from_str(rest).into_iter::<Vec<Value>>();
        lists.next()?.ok()?;
        let (list, rest) = rest.split_at(lists.byte_offset());
        let line = rest.strip_prefix("` on line ")?;
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        Some((list.to_owned(), digits.parse().ok()?))
    });
    lists.collect()
}

/// The names that an error suggests for a heading that does not exist.
fn suggested(message: &str) -> Vec<String> {
    let Some((_, names)) = message.split_once("; there is `") else { return Vec::new() };
    let names = names.rsplit_once('`').map_or(names, |(names, _)| names);
    names.split("`, `").map(str::to_owned).collect()
}

#[test]
fn each_heading_is_reached_by_what_errors_name() {
    check(|copy| {
        for path in copy.files(true) {
            let Some(note) = copy.read(&path) else { continue };
            let mut names = headings(&note);
            let texts = note["headings"].as_array().cloned().unwrap_or_default();
            for text in texts.iter().map(|heading| heading["text"].as_str().unwrap()) {
                let result = copy.session.call("read", json!({"path": path, "heading": text}));
                if result.is_error() {
                    names.extend(listed(result.error()["message"].as_str().unwrap()));
                }
                let missing = json!({"path": path, "heading": format!("{text} that is missing")});
                let error = copy.session.call("read", missing).error();
                let near = suggested(error["message"].as_str().unwrap());
                assert!(!near.is_empty(), "{path}: {error}");
                for name in near {
                    copy.change("read", json!({"path": path, "heading": name}));
                }
            }
            for (name, line) in names {
                let section = copy.session.call("read", json!({"path": path, "heading": name}));
                let is_read = !section.is_error()
                    && text_from(&note, line)
                        .starts_with(section.json()["content"].as_str().unwrap());
                if !is_read {
                    copy.failures
                        .push(format!("{path}: {name} on line {line}: {}", section.text()));
                }
            }
        }
    });
}
