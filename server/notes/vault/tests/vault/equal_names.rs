//! Vaults in which many files share a name. Whatever is moved, each link names the same file as
//! before.
//!
//! A separate resolver, which shares no code with the vault's own, tells what a link names.

use std::collections::{BTreeMap, BTreeSet};

use toolwrit_vault::VaultError;

use crate::generated::Random;
use crate::{Sandbox, never, path};
use toolwrit_requirement::number;

/// How many files are moved in a vault of `notes` notes.
const fn moves(notes: usize) -> usize {
    notes / 25
}

/// The files of a vault by their names in lower case, each with its path in lower case.
type Files = BTreeMap<String, BTreeMap<String, String>>;

fn files<'a>(paths: impl IntoIterator<Item = &'a String>) -> Files {
    let mut files = Files::new();
    for path in paths {
        let lower = path.to_lowercase();
        files.entry(split(&lower).1.to_owned()).or_default().insert(lower, path.clone());
    }
    files
}

/// The folder and the name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A relative path from a folder, and whether it climbs above the root, where Obsidian stays.
fn walk(folder: &str, relative: &str) -> (String, bool) {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    let mut leaves = false;
    for name in relative.split('/') {
        match name {
            "." => {}
            ".." => leaves |= names.pop().is_none(),
            name => names.push(name),
        }
    }
    (names.join("/"), leaves)
}

fn join(folder: &str, relative: &str) -> String {
    walk(folder, relative).0
}

/// The file that a target names, and how many files it may name.
fn resolve<'f>(files: &'f Files, target: &str, source: &str) -> (Option<&'f String>, usize) {
    let (mut target, source) = (target.to_lowercase(), source.to_lowercase());
    let folder = split(&source).0;
    let mut name = split(&target).1.to_owned();
    if !(name.contains('.') && files.contains_key(&name)) {
        target += ".md";
        name += ".md";
    }
    let Some(candidates) = files.get(&name) else { return (None, 0) };
    if !target.contains('/') && candidates.len() == 1 {
        return (candidates.values().next(), 1);
    }
    let absolute = target.starts_with('/');
    if target.starts_with("./") || target.starts_with("../") {
        target = join(folder, &target);
    }
    let target = target.strip_prefix('/').unwrap_or(&target);
    if let Some(exact) = candidates.get(target) {
        return (Some(exact), 1);
    }
    if absolute {
        return (None, 0);
    }
    let ending = || candidates.iter().filter(|(path, _)| path.ends_with(target));
    let order = |path: &str| (!path.starts_with(folder), path.encode_utf16().count());
    let first = ending().min_by_key(|(path, _)| order(path));
    (first.map(|(_, path)| path), ending().count())
}

/// A link that is the whole of its line.
struct Link {
    target: String,
    markdown: bool,
}

impl Link {
    fn parse(line: &str) -> Self {
        let between = |start, end| line.split_once(start).unwrap().1.split_once(end).unwrap().0;
        if line.contains("](") {
            let written = between("](", ")").trim_matches(['<', '>']);
            return Self { target: written.replace("%20", " "), markdown: true };
        }
        Self { target: between("[[", "]]").to_owned(), markdown: false }
    }
}

/// A link to a file in one of many forms.
fn link(random: &mut Random, target: &str, source: &str) -> String {
    let (folder, name) = split(target);
    let bare = |path: &str| path.strip_suffix(".md").unwrap_or(path).to_owned();
    let encoded = |path: &str| path.replace(' ', "%20");
    let relative = |dot: &str| {
        let folder = split(source).0;
        let below = target.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let climb = "../".repeat(folder.split('/').filter(|name| !name.is_empty()).count());
        below.map_or(format!("{climb}{target}"), |below| format!("{dot}{below}"))
    };
    match random.below(12) {
        0 | 1 => format!("[[{}]]", bare(name)),
        2 => format!("[[{}]]", bare(target)),
        3 => format!("![[{name}]]"),
        4 => format!("[[{}]]", bare(&relative("./"))),
        5 => format!("[[{}]]", bare(&relative(""))),
        6 => format!("[text]({})", encoded(&relative(""))),
        7 => format!("[text](<{name}>)"),
        8 => format!("[text]({})", encoded(target)),
        9 => format!("[[/{}]]", bare(target)),
        10 => format!("[[{}]]", bare(name).to_uppercase()),
        _ => {
            let cut = (0..=folder.len()).rev().find(|at| folder.is_char_boundary(at / 2)).unwrap();
            format!("[[{}]]", bare(&target[cut / 2..]).trim_start_matches('/'))
        }
    }
}

fn name(number: usize) -> String {
    match number % 5 {
        0 => format!("Overview {number}.md"),
        1 => format!("v1.{number}.md"),
        2 => format!("plan-{number}.md"),
        3 => format!("Scan {number}.png"),
        _ => format!("índice {number}.md"),
    }
}

fn folder(number: usize) -> String {
    let bases = ["", "Work", "Work/Alpha", "Workshop", "Zoo", "Zoo/Work", "wo", "Long folder name"];
    let base = bases[number % bases.len()];
    match number / bases.len() {
        0 => base.to_owned(),
        deeper => join(base, &format!("F{deeper}")),
    }
}

/// A path in a vault with this many notes.
fn place(random: &mut Random, notes: usize) -> String {
    join(&folder(random.below(notes / 5)), &name(random.below(10 + notes / 200)))
}

/// Each note with its lines.
type Texts = BTreeMap<String, Vec<String>>;

/// The properties of a link that a move must keep.
#[derive(Debug, PartialEq, Eq)]
struct LinkProperty {
    names: Option<String>,
    unique: bool,
    /// Whether other programs find the file at the path.
    relative: bool,
}

impl LinkProperty {
    /// Whether a move kept the promise of a link format. A path that other programs follow need not
    /// be unique.
    fn is_as_good_as(&self, was: &Self, format: Option<&str>) -> bool {
        let is_path = was.relative && matches!(format, None | Some("relative"));
        let is_shortest = matches!(format, None | Some("shortest"));
        if is_path { self.relative } else { self.unique || !was.unique || !is_shortest }
    }
}

/// The properties of the links of each note.
type LinkProperties = BTreeMap<String, Vec<LinkProperty>>;

fn properties(texts: &Texts) -> LinkProperties {
    let files = files(texts.keys());
    let property = |source: &str, line: &String| {
        let link = Link::parse(line);
        let (first, count) = resolve(&files, &link.target, source);
        let names = first.cloned();
        let (at, leaves) = walk(split(source).0, &link.target);
        let is_path = !link.target.starts_with('/') && !leaves;
        let relative = link.markdown && is_path && names.as_ref() == Some(&at);
        LinkProperty { names, unique: count == 1, relative }
    };
    let all = texts.iter();
    all.map(|(source, lines)| {
        (source.clone(), lines.iter().map(|line| property(source, line)).collect())
    })
    .collect()
}

/// A vault with four links in each note.
fn texts(random: &mut Random, notes: usize) -> Texts {
    let mut taken = BTreeSet::new();
    let mut paths = Vec::new();
    while paths.len() < notes {
        let path = place(random, notes);
        if taken.insert(path.to_lowercase()) {
            paths.push(path);
        }
    }
    let mut texts = Texts::new();
    for source in &paths {
        let lines = if path(source).is_note() { 4 } else { 0 };
        let mut line = || {
            let target = &paths[random.below(notes)];
            link(random, target, source)
        };
        let lines = (0..lines).map(|_| line()).collect();
        texts.insert(source.clone(), lines);
    }
    texts
}

fn read(sandbox: &Sandbox, path: &str) -> Vec<String> {
    String::from_utf8(sandbox.bytes(path)).unwrap().lines().map(str::to_owned).collect()
}

/// Moves files of a vault back and forth, and compares the properties of each link before and
/// after.
fn move_files(format: Option<&str>, notes: usize, seed: u64) {
    let mut random = Random(seed);
    let sandbox = Sandbox::new();
    if let Some(format) = format {
        sandbox.put(".obsidian/app.json", format!(r#"{{"newLinkFormat":"{format}"}}"#));
    }
    let mut texts = texts(&mut random, notes);
    for (path, lines) in &texts {
        sandbox.put(path, lines.join("\n"));
    }
    sandbox.vault.wait_for_index(&never).unwrap();
    let mut known = properties(&texts);
    let mut done = 0;
    while done < moves(notes) {
        let from = texts.keys().nth(random.below(notes)).unwrap().clone();
        let (folder, name) = split(&from);
        let place = place(&mut random, notes);
        let to = match random.below(3) {
            0 => join(folder, split(&place).1),
            1 => join(split(&place).0, name),
            _ => place,
        };
        let taken = texts.keys().any(|path| path.to_lowercase() == to.to_lowercase());
        if taken || path(&to).is_note() != path(&from).is_note() {
            continue;
        }
        let moved = match sandbox.vault.move_note(&path(&from), &path(&to), None, &never) {
            Ok(moved) => moved,
            Err(VaultError::InvalidPath(_)) if sandbox.file(&to).is_dir() => continue,
            Err(error) => panic!("{from} to {to}: {error}"),
        };
        done += 1;
        let follow = |path: &str| if path == from { to.clone() } else { path.to_owned() };
        let mut after = texts.clone();
        let lines = after.remove(&from).unwrap();
        after.insert(to.clone(), lines);
        for rewritten in &moved.rewritten {
            let path = follow(rewritten.as_str());
            after.insert(path.clone(), read(&sandbox, &path));
        }
        let now = properties(&after);
        for (source, was) in &known {
            let (source, path) = (source.as_str(), follow(source));
            let (old, new) = (&texts[source], &after[&path]);
            assert_eq!(old.len(), new.len(), "{source}");
            for (line, (was, is)) in was.iter().zip(&now[&path]).enumerate() {
                let (old, new) = (&old[line], &new[line]);
                let what = format!("{format:?}, seed {seed}, {from} to {to}: {old} became {new}");
                let kept = was
                    .names
                    .as_deref()
                    .map_or(old == new, |named| is.names.as_ref() == Some(&follow(named)));
                assert!(kept, "{what} in {source}, which names {:?}", is.names);
                assert!(is.is_as_good_as(was, format), "{what} in {source}");
            }
        }
        (texts, known) = (after, now);
    }
    for (path, lines) in &texts {
        assert_eq!(read(&sandbox, path), *lines, "{path} was changed and not reported");
    }
}

#[test]
fn no_move_changes_what_a_link_names() {
    let notes: usize = number(150, 6000);
    for format in [None, Some("shortest"), Some("relative"), Some("absolute")] {
        for seed in 0..number(3, 1_u64) {
            move_files(format, notes, seed);
        }
    }
}
