//! The bases of a public vault, none of which may be refused.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Zoned;
use toolwrit_dataview::Dataview;
use toolwrit_dataview::bases::{BaseError, View, ViewOptions, view};
use toolwrit_requirement::skip;
use toolwrit_vault::{Vault, VaultPath};

/// Names a folder with public vaults, among them `kepano`: <https://github.com/kepano/kepano-obsidian>.
const VAULTS: &str = "TOOLWRIT_VAULTS";

/// The bases of the vault.
fn bases(dataview: &Dataview, folder: &Path) -> Vec<(VaultPath, Vec<String>)> {
    let mut bases = Vec::new();
    for entry in fs::read_dir(folder.join("Templates/Bases")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = VaultPath::parse(&format!("Templates/Bases/{name}")).unwrap();
        bases.push((path.clone(), views(dataview, &path)));
    }
    bases
}

/// The names of the views, which the error for a view that does not exist lists.
fn views(dataview: &Dataview, path: &VaultPath) -> Vec<String> {
    match run(dataview, path, "no such view", None) {
        Err(BaseError::NoView { views, .. }) => views,
        other => panic!("{path}: {other:?}"),
    }
}

fn run(
    dataview: &Dataview,
    path: &VaultPath,
    name: &str,
    origin: Option<&VaultPath>,
) -> Result<View, BaseError> {
    let now: Zoned = "2026-11-28T12:00:00[UTC]".parse().unwrap();
    let time = std::time::Duration::from_mins(2);
    let options = ViewOptions { now, time, origin: origin.cloned(), ..ViewOptions::default() };
    view(dataview, path, Some(name), &options, &|| false)
}

/// The vault; `None` if it is absent, which is said.
fn kepano() -> Option<PathBuf> {
    let vaults = std::env::var_os(VAULTS).map(PathBuf::from);
    if vaults.is_none() {
        skip(&format!("{VAULTS} names no folder with public vaults"));
    }
    vaults.map(|vaults| vaults.join("kepano"))
}

#[test]
fn no_view_of_a_public_vault_is_refused() {
    let Some(folder) = kepano() else { return };
    let dataview = Dataview::new(Vault::open(&folder).unwrap());
    let bases = bases(&dataview, &folder);
    let mut count = 0;
    let origin = VaultPath::parse("Categories/Movies.md").unwrap();
    for (path, views) in &bases {
        for name in views {
            count += 1;
            for origin in [None, Some(&origin)] {
                let view = run(&dataview, path, name, origin).unwrap();
                for failed in &view.failed {
                    // The vault has one formula of an older version of Obsidian.
                    let is_known = failed.reason.contains("there is no function `not`");
                    assert!(is_known, "{path}#{name}: {failed:?}");
                }
            }
        }
    }
    assert_eq!((bases.len(), count), (30, 75));
}

/// The notes below a folder whose text has a wikilink to a name.
fn linking(folder: &Path, name: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let place = entry.unwrap().path();
        if place.is_dir() {
            linking(&place, name, found);
        } else if place.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&place).unwrap();
            let has = |end: &str| text.contains(&format!("[[{name}{end}"));
            if has("]]") || has("|") || has("#") {
                found.insert(place.file_name().unwrap().to_str().unwrap().to_owned());
            }
        }
    }
}

#[test]
fn backlinks_of_an_origin_are_the_notes_that_name_it() {
    let Some(folder) = kepano() else { return };
    let dataview = Dataview::new(Vault::open(&folder).unwrap());
    let base = VaultPath::parse("Templates/Bases/Backlinks.base").unwrap();
    let mut total = 0;
    for entry in fs::read_dir(folder.join("Categories")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let origin = VaultPath::parse(&format!("Categories/{name}")).unwrap();
        let view = run(&dataview, &base, "Backlinks", Some(&origin)).unwrap();
        let rows: BTreeSet<String> =
            view.rows.iter().map(|row| row.path.name().to_owned()).collect();
        let mut expected = BTreeSet::new();
        linking(&folder, origin.stem(), &mut expected);
        assert_eq!(rows, expected, "{origin}");
        total += rows.len();
    }
    assert!(total > 0);
}
