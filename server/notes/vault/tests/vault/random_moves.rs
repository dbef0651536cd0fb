//! Moves in random vaults: each link names the same file as before.

use std::collections::BTreeMap;

use proptest::prelude::*;
use toolwrit_vault::Vault;

use crate::{Sandbox, never, path};
use toolwrit_requirement::number;

const FOLDERS: [&str; 5] = ["", "x/", "y/", "x/y/", "a longer folder/"];
const NAMES: [&str; 7] =
    ["a.md", "b.md", "A.md", "Caf\u{e9}.md", "Cafe\u{301}.md", "with space.md", "p.png"];

/// Paths of a vault with many duplicate names.
fn paths() -> impl Strategy<Value = Vec<String>> {
    let path = (0..FOLDERS.len(), 0..NAMES.len())
        .prop_map(|(folder, name)| format!("{}{}", FOLDERS[folder], NAMES[name]));
    proptest::collection::btree_set(path, 2..12).prop_map(|paths| paths.into_iter().collect())
}

/// A link to one of the files, in one of many forms, from a note in a folder.
fn link(target: &str, form: usize, from: &str) -> String {
    let bare = target.rsplit('/').next().unwrap();
    let short = |path: &str| path.strip_suffix(".md").unwrap_or(path).to_owned();
    let up = "../".repeat(from.matches('/').count());
    let percent = |path: &str| path.replace(' ', "%20");
    match form {
        0 => format!("[[{}]]", short(bare)),
        1 => format!("[[{}#h|alias]]", short(target)),
        2 => format!("![[{bare}]]"),
        3 => format!("[[{up}{target}]]"),
        4 => format!("[text]({})", percent(target)),
        5 => format!("[text](<{up}{target}#h>)"),
        6 => format!("`[[{}]]`", short(bare)),
        7 => format!("\n\n| a |\n|---|\n| [[{}\\|al]] |\n\n", short(bare)),
        8 => format!("[[{}]]", short(bare).to_uppercase()),
        _ => format!("[[./{bare}]]"),
    }
}

/// For each file the places of the links that name it, according to a newly opened vault.
fn places(folder: &std::path::Path, paths: &[String]) -> BTreeMap<String, Vec<(String, usize)>> {
    let vault = Vault::open(folder).unwrap();
    let all = paths.iter().map(|file| {
        let found = vault.backlinks(&path(file), usize::MAX, &never).unwrap();
        let line = |hit: toolwrit_vault::Hit| {
            (hit.path.to_string(), hit.excerpt.map_or(0, |excerpt| excerpt.line))
        };
        (found.path.to_string(), found.links.into_iter().map(line).collect())
    });
    all.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: number(96, 1000), failure_persistence: None, ..Default::default() })]

    #[test]
    fn each_link_names_the_same_file_after_a_move(
        paths in paths(),
        links in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..10), 1..30),
        which in any::<prop::sample::Index>(),
        to in (0..FOLDERS.len(), 0..NAMES.len(), any::<bool>()),
        format in 0_usize..3,
    ) {
        let sandbox = Sandbox::new();
        let format = ["shortest", "relative", "absolute"][format];
        sandbox.put(".obsidian/app.json", format!(r#"{{"newLinkFormat":"{format}"}}"#));
        let mut texts: BTreeMap<&String, String> = BTreeMap::new();
        for (source, target, form) in &links {
            let source = &paths[source.index(paths.len())];
            let link = link(&paths[target.index(paths.len())], *form, source);
            let text = texts.entry(source).or_default();
            text.push_str(&link);
            text.push('\n');
        }
        for file in &paths {
            sandbox.put(file, texts.get(file).map_or("", String::as_str));
        }
        let from = &paths[which.index(paths.len())];
        let (_, extension) = from.rsplit_once('.').unwrap();
        let to = match to {
            (folder, _, false) => format!("{}new.{extension}", FOLDERS[folder]),
            (folder, name, true) => {
                let stem = NAMES[name].rsplit_once('.').unwrap().0;
                format!("{}{stem}.{extension}", FOLDERS[folder])
            }
        };
        let before = places(&sandbox.file(""), &paths);
        sandbox.vault.wait_for_index(&never).unwrap();
        let Ok(done) = sandbox.vault.move_note(&path(from), &path(&to), None, &never) else {
            // The place is taken.
            return Ok(());
        };
        let rename = |path: &String| if path == from { done.to.to_string() } else { path.clone() };
        let now: Vec<String> = paths.iter().map(rename).collect();
        let expected: BTreeMap<_, Vec<_>> = before
            .iter()
            .map(|(file, places)| {
                let mut places: Vec<_> =
                    places.iter().map(|(source, line)| (rename(source), *line)).collect();
                places.sort_by(|(a, x), (b, y)| path(a).cmp(&path(b)).then(x.cmp(y)));
                (rename(file), places)
            })
            .collect();
        let after = places(&sandbox.file(""), &now);
        for (file, places) in &expected {
            let named = &after[file];
            prop_assert!(places.iter().all(|place| named.contains(place)), "{file}: {places:?} {named:?}");
        }
        for (old, new) in paths.iter().zip(&now) {
            if !done.rewritten.contains(&path(old)) {
                let text = texts.get(old).map_or("", String::as_str);
                prop_assert_eq!(sandbox.bytes(new), text.as_bytes());
            }
        }
    }
}
