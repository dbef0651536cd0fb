//! Vaults for tests, generated in temporary folders.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

const WORDS: [&str; 24] = [
    "lantern", "meeting", "budget", "garden", "parser", "river", "kernel", "winter", "market",
    "sprint", "memory", "theory", "stone", "author", "review", "harbour", "ladder", "copper",
    "signal", "orchard", "ledger", "anchor", "canvas", "timber",
];

/// A vault of `count` notes in folders, with frontmatter, links, tasks, Windows line endings, byte order
/// marks and non-ASCII names. It is the same on every machine.
pub fn generate(notes: usize) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    fs::create_dir_all(folder.path().join(".obsidian")).unwrap();
    fs::write(folder.path().join(".obsidian/app.json"), r#"{"trashOption":"local"}"#).unwrap();
    for number in 0..notes {
        note(folder.path(), number);
    }
    folder
}

/// An empty vault with its own trash.
pub fn empty() -> TempDir {
    generate(0)
}

/// Installs the plugins that the server detects in this vault, and switches them on. There are no templates.
pub fn switch_on_plugins(vault: &Path) {
    let config = vault.join(".obsidian");
    let ids = ["dataview", "templater-obsidian", "smart-connections"];
    for id in ids {
        let folder = config.join("plugins").join(id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("manifest.json"), format!(r#"{{"id": "{id}", "version": "1.0"}}"#))
            .unwrap();
    }
    let settings = config.join("plugins/templater-obsidian/data.json");
    fs::write(settings, r#"{"templates_folder": "Templates"}"#).unwrap();
    fs::create_dir_all(vault.join("Templates")).unwrap();
    fs::write(config.join("community-plugins.json"), format!("{ids:?}")).unwrap();
}

fn note(vault: &Path, number: usize) {
    let word = |offset: usize| WORDS[(number * 7 + offset * 5) % WORDS.len()];
    let folder = format!("{:02} {}", number % 10, word(0));
    let name = match number % 25 {
        3 => format!("Café {} {number:04}", word(1)),
        7 => format!("日本語 {number:04}"),
        _ => format!("{} {} {number:04}", word(1), word(2)),
    };
    let mut text = format!(
        "---\ntitle: \"{name}\"  # shown\nstatus: {}\ntags: [{}, {}]\n---\n# {name}\n\n",
        word(3),
        word(4),
        word(5)
    );
    for line in 0..8 {
        let _ = writeln!(text, "The {} met the {} at [[{}]].", word(line), word(line + 1), word(2));
    }
    let _ = writeln!(text, "- [ ] check the {} ^task{number}", word(6));
    if number % 11 == 5 {
        text = text.replace('\n', "\r\n");
    }
    if number % 13 == 6 {
        text.insert(0, '\u{feff}');
    }
    fs::create_dir_all(vault.join(&folder)).unwrap();
    fs::write(vault.join(folder).join(format!("{name}.md")), text).unwrap();
}

/// Everything below a folder, to compare before and after: files with their bytes, folders (ending in `/`),
/// links (ending in `@`) with their targets, and other objects (ending in `|`).
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(folder, "", &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            found.insert(format!("{path}@"), target.into_os_string().into_encoded_bytes());
        } else if kind.is_dir() {
            let path = format!("{path}/");
            collect(&entry.path(), &path, found);
            found.insert(path, Vec::new());
        } else if kind.is_file() {
            found.insert(path, fs::read(entry.path()).unwrap());
        } else {
            found.insert(format!("{path}|"), Vec::new());
        }
    }
}
