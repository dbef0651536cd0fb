//! Changes to a vault, each with its possible outcomes.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// The content of the vault: paths and bytes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A file with a link, and the link's line.
pub(crate) type Link = (String, Option<usize>);

/// Changes in flight when the process is killed.
pub(crate) const CHANGES: usize = 12;
const NOTES: usize = 40;
/// Notes with properties and sections, which are patched.
const PATCHED: usize = 8;
/// Groups of a note and the files that link to it.
const GROUPS: usize = 6;

/// `SplitMix64`: small, seeded, good enough to choose.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap()
    }

    /// A unique text, from a few bytes to some tens of kilobytes.
    fn text(&mut self) -> String {
        let (id, lines) = (self.below(usize::MAX), 1 << self.below(11));
        (0..lines).flat_map(|line| [line.to_string(), format!(" of {id:x}\n")]).collect()
    }
}

/// A change to files that no other change of its round touches.
pub(crate) struct Change {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    /// Each file that it touches, before and after; absent files have no content.
    before: Files,
    after: Files,
}

impl Change {
    /// Whether it has happened on disk; fails at any state in between.
    pub(crate) fn has_happened(&self, disk: &Files, what: &str) -> bool {
        let paths: HashSet<&String> = self.before.keys().chain(self.after.keys()).collect();
        let now: Files = paths
            .into_iter()
            .filter_map(|path| disk.get(path).map(|bytes| (path.clone(), bytes.clone())))
            .collect();
        let happened = now == self.after;
        assert!(happened || now == self.before, "{what}: torn or lost: {:?}", sizes(&now));
        happened
    }

    /// Applies it to the model.
    pub(crate) fn apply(&self, model: &mut Files) {
        self.before.keys().for_each(|path| drop(model.remove(path)));
        model.extend(self.after.clone());
    }
}

pub(crate) fn sizes(files: &Files) -> Vec<(&String, usize)> {
    files.iter().map(|(path, bytes)| (path, bytes.len())).collect()
}

/// The initial vault.
pub(crate) fn vault(random: &mut Random) -> Files {
    let mut files = Files::new();
    let mut add = |path: String, text: String| drop(files.insert(path, text.into_bytes()));
    for number in 0..NOTES {
        add(format!("Notes/{number}.md"), random.text());
    }
    for number in 0..PATCHED {
        let text = format!("---\nround: none # so far\n---\n# Head\n\n{}\n# Tail\n", random.text());
        add(format!("Patched/{number}.md"), text);
    }
    for group in 0..GROUPS {
        let (name, folder) = (format!("Target{group}"), format!("Linked/{group}"));
        let path = format!("{folder}/{name}");
        add(format!("{path}.md"), format!("# Head\n\nSee [[List{group}]].\n"));
        let list = format!(
            "---\nup: \"[[{name}]]\"\n---\n[[{name}#Head|it]]\n![[{name}]]\n\n| a | b |\n|---|---|\n| a | [[{name}\\|b]] |\n\n{}",
            random.text()
        );
        add(format!("{folder}/List{group}.md"), list);
        let paths = format!("[[{path}]]\n[it](<{path}.md>)\n[it](/{path}.md#Head)\n");
        add(format!("{folder}/Paths{group}.md"), paths);
        let board = json!({"nodes": [{
            "id": "a", "type": "file", "file": format!("{path}.md"), "x": 0, "y": 0, "width": 1,
            "height": 1,
        }]});
        add(format!("{folder}/Board{group}.canvas"), board.to_string());
    }
    files
}

/// The linked note of each group, and the files with links to it, with the lines of the links. Canvases
/// have no lines.
pub(crate) fn links(model: &Files) -> Vec<(String, Vec<Link>)> {
    (0..GROUPS)
        .map(|group| {
            let (target, others) = split(group, model);
            let name = stem(&target).to_owned();
            let lines = |path: &String, bytes: &Vec<u8>| {
                let text = String::from_utf8(bytes.clone()).unwrap();
                let linking = text.lines().enumerate().filter(|(_, line)| line.contains(&name));
                let is_note =
                    Path::new(path).extension().is_some_and(|extension| extension == "md");
                let at = |line| (path.clone(), is_note.then_some(line + 1));
                linking.map(|(line, _)| at(line)).collect::<Vec<_>>()
            };
            (target, others.iter().flat_map(|(path, bytes)| lines(path, bytes)).collect())
        })
        .collect()
}

/// The path of a group's linked note, and the other files of the group.
fn split(group: usize, model: &Files) -> (String, Files) {
    let mut files = model.clone();
    files.retain(|path, _| path.starts_with(&format!("Linked/{group}/")));
    let target = files.keys().find(|path| stem(path).starts_with("Target")).unwrap().clone();
    files.remove(&target);
    (target, files)
}

/// The name of a file without its folders and its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap();
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The changes of a round, each of different files.
pub(crate) fn changes(
    random: &mut Random,
    round: usize,
    vault: &Path,
    model: &mut Files,
) -> Vec<Change> {
    let mut free: Vec<String> =
        model.keys().filter(|path| path.starts_with("Notes/")).cloned().collect();
    let mut patched: Vec<usize> = (0..PATCHED).collect();
    let mut groups: Vec<usize> = (0..GROUPS).collect();
    (0..CHANGES)
        .map(|number| {
            let path = free.swap_remove(random.below(free.len()));
            let old = model[&path].clone();
            match random.below(12) {
                0 | 1 => write(path, old, random.text()),
                2 => create(format!("Notes/{round}-{number}.md"), random.text()),
                3 | 4 => append(path, old, &random.text()),
                5 => relocate(path, format!("Notes/{round}-{number}.md"), old),
                6 => bulk_delete(&format!("Drafts/{number}"), random, vault, model),
                7 | 8 if !patched.is_empty() => {
                    let note = patched.swap_remove(random.below(patched.len()));
                    patch(format!("Patched/{note}.md"), random, round, model)
                }
                _ if !groups.is_empty() => {
                    let group = groups.swap_remove(random.below(groups.len()));
                    relocate_linked(group, round, model)
                }
                _ => write(path, old, random.text()),
            }
        })
        .collect()
}

fn write(path: String, old: Vec<u8>, text: String) -> Change {
    Change {
        tool: "vault_write",
        arguments: json!({"path": path, "content": text, "mode": "overwrite"}),
        before: Files::from([(path.clone(), old)]),
        after: Files::from([(path, text.into_bytes())]),
    }
}

fn create(path: String, text: String) -> Change {
    Change {
        tool: "vault_write",
        arguments: json!({"path": path, "content": text, "mode": "create"}),
        before: Files::new(),
        after: Files::from([(path, text.into_bytes())]),
    }
}

fn append(path: String, old: Vec<u8>, text: &str) -> Change {
    let new = [&old, text.as_bytes()].concat();
    Change {
        tool: "vault_append",
        arguments: json!({"path": path, "content": text}),
        before: Files::from([(path.clone(), old)]),
        after: Files::from([(path, new)]),
    }
}

/// Patches a property, or the end of the first section.
fn patch(path: String, random: &mut Random, round: usize, model: &Files) -> Change {
    let old = String::from_utf8(model[&path].clone()).unwrap();
    let (kind, target, operation, content, new) = if random.below(2) == 0 {
        let line = old.lines().nth(1).unwrap();
        let new = old.replacen(line, &format!("round: {round} # so far"), 1);
        ("frontmatter", "round", "replace", json!(round), new)
    } else {
        let text = format!("patched in {round}");
        let new = old.replacen("\n\n# Tail\n", &format!("\n\n{text}\n\n# Tail\n"), 1);
        ("heading", "Head", "append", json!(text), new)
    };
    assert_ne!(old, new);
    Change {
        tool: "vault_patch",
        arguments: json!({
            "path": path, "target_type": kind, "target": target, "operation": operation,
            "content": content,
        }),
        before: Files::from([(path.clone(), old.into_bytes())]),
        after: Files::from([(path, new.into_bytes())]),
    }
}

/// Linux and macOS move without replacing in one step, so the note is at exactly one path. On file systems
/// without such a step, a note may be at both paths for a moment, but never at none.
fn relocate(path: String, to: String, old: Vec<u8>) -> Change {
    Change {
        tool: "vault_move",
        arguments: json!({"path": path, "to": to}),
        before: Files::from([(path, old.clone())]),
        after: Files::from([(to, old)]),
    }
}

/// Moves a note with backlinks between two folders, with every link to it.
fn relocate_linked(group: usize, round: usize, model: &Files) -> Change {
    let (path, others) = split(group, model);
    let folder = format!("Linked/{group}");
    let inside = if path.matches('/').count() == 2 { "Deep/" } else { "" };
    let to = format!("{folder}/{inside}Target{group}x{round}.md");
    let (old_path, new_path) = (path.trim_end_matches(".md"), to.trim_end_matches(".md"));
    let rewritten = others.iter().map(|(path, bytes)| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        // Replace paths first, because the name is a part of them.
        let text = text.replace(old_path, "\0").replace(stem(old_path), stem(new_path));
        (path.clone(), text.replace('\0', new_path).into_bytes())
    });
    let mut after: Files = rewritten.collect();
    after.insert(to.clone(), model[&path].clone());
    let mut before = others;
    before.insert(path.clone(), model[&path].clone());
    Change { tool: "vault_move", arguments: json!({"path": path, "to": to}), before, after }
}

/// Deletes a new folder of notes: all of them, or none.
fn bulk_delete(folder: &str, random: &mut Random, vault: &Path, model: &mut Files) -> Change {
    fs::create_dir_all(vault.join(folder)).unwrap();
    let (mut before, mut after) = (Files::new(), Files::new());
    for number in 0..8 {
        let (path, text) = (format!("{folder}/{number}.md"), random.text().into_bytes());
        fs::write(vault.join(&path), &text).unwrap();
        model.insert(path.clone(), text.clone());
        after.insert(format!(".trash/{path}"), text.clone());
        before.insert(path, text);
    }
    let arguments = json!({"match": format!("{folder}/*.md")});
    Change { tool: "vault_bulk_delete", arguments, before, after }
}
