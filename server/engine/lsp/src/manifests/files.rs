//! Which manifest a file belongs to.

use std::path::{Path, PathBuf};

use crate::documents::{Document, Documents, to_slashes};
use crate::outline::{Entry, Step, entries};

/// How many folders above a file are searched for a manifest that includes it.
const MOST_FOLDERS: usize = 5;
/// How many files of a folder are read for that.
const MOST_FILES: usize = 64;

/// The files of a manifest, with their texts as the client has them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The files; the first is the root file.
    pub(crate) files: Vec<ManifestFile>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ManifestFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A name that a manifest declares.
#[derive(Debug)]
pub(crate) struct Declared<'m> {
    pub(crate) file: &'m ManifestFile,
    /// The key of the root under which it is.
    pub(crate) list: String,
    pub(crate) name: String,
    pub(crate) entry: Entry,
    /// Its summary or description, if it has one.
    pub(crate) summary: Option<&'m str>,
}

/// What a YAML file is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Belonging {
    /// A part of a manifest, or its root file.
    To(Manifest),
    /// A part of a manifest that was not found.
    Lost,
    /// The file is not part of a manifest.
    No,
}

/// Finds the manifest of a file: the named one, one that is open, or one in its folder or above.
pub(crate) fn find_manifest(
    documents: &Documents,
    named: Option<&str>,
    document: &Document,
) -> Belonging {
    let Some(path) = document.path.as_deref() else { return Belonging::No };
    let keys = top_keys(document.text());
    let has = |key: &str| keys.iter().any(|present| present == key);
    if named == Some(path) || (has("toolwrit") && has("server")) {
        return read_manifest(documents, path).map_or(Belonging::No, Belonging::To);
    }
    // Keys that files of others have, too, are no reason to search for a manifest.
    if !has("toolwrit")
        && !["operations", "types", "categories", "providers"].iter().any(|key| has(key))
    {
        return Belonging::No;
    }
    let open = documents.iter().filter_map(|open| open.path.clone());
    let candidates =
        named.map(str::to_owned).into_iter().chain(open).chain(neighbouring_files(path));
    let found = candidates
        .filter(|root| root != path)
        .find(|root| included_files(documents, root).iter().any(|included| included == path));
    match found.and_then(|root| read_manifest(documents, &root)) {
        Some(manifest) => Belonging::To(manifest),
        None if has("toolwrit") => Belonging::Lost,
        None => Belonging::No,
    }
}

/// The YAML files in the folder of a file, and in those above it.
fn neighbouring_files(path: &str) -> impl Iterator<Item = String> {
    let folders = Path::new(path).ancestors().skip(1).take(MOST_FOLDERS);
    let folders: Vec<_> = folders.map(Path::to_owned).collect();
    folders.into_iter().flat_map(|folder| {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let is_yaml =
            |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
        let mut paths: Vec<String> = paths.filter(is_yaml).map(|path| to_slashes(&path)).collect();
        paths.sort();
        paths.truncate(MOST_FILES);
        paths
    })
}

fn read_manifest(documents: &Documents, root: &str) -> Option<Manifest> {
    let text = documents.text(root)?;
    let mut files = vec![ManifestFile { path: root.to_owned(), text }];
    for path in included_files(documents, root) {
        if let Some(text) = documents.text(&path)
            && files.iter().all(|file| file.path != path)
        {
            files.push(ManifestFile { path, text });
        }
    }
    Some(Manifest { files })
}

/// The paths that a file includes.
fn included_files(documents: &Documents, root: &str) -> Vec<String> {
    let Some(text) = documents.text(root).filter(|text| text.contains("include")) else {
        return Vec::new();
    };
    let is_included = |entry: &&Entry| matches!(&entry.path[..], [Step::Key(key), Step::Item(_)] if key == "include");
    let entries = entries(&text);
    let included = entries.iter().filter(is_included);
    included.filter_map(|entry| join_path(root, text.get(entry.value.clone())?)).collect()
}

/// The path of a file that another one names.
pub(crate) fn join_path(file: &str, relative: &str) -> Option<String> {
    let (folder, _) = file.rsplit_once('/')?;
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn top_keys(text: &str) -> Vec<String> {
    let key = |entry: Entry| match &entry.path[..] {
        [Step::Key(key)] => Some(key.clone()),
        _ => None,
    };
    entries(text).into_iter().filter_map(key).collect()
}

impl Manifest {
    pub(crate) fn root(&self) -> &str {
        self.files.first().map_or("", |file| &file.path)
    }

    /// Everything that it declares, in order.
    pub(crate) fn declarations(&self) -> Vec<Declared<'_>> {
        self.files.iter().flat_map(find_declarations).collect()
    }
}

fn find_declarations(file: &ManifestFile) -> Vec<Declared<'_>> {
    let mut found: Vec<Declared<'_>> = Vec::new();
    for entry in entries(&file.text) {
        match &entry.path[..] {
            [Step::Key(list), Step::Key(name)] => {
                let (list, name) = (list.clone(), name.clone());
                found.push(Declared { file, list, name, entry, summary: None });
            }
            [Step::Key(_), Step::Key(owner), Step::Key(key)]
                if key == "summary" || key == "description" =>
            {
                let summary = file.text.get(entry.value.clone()).filter(|text| !text.is_empty());
                if let Some(last) = found.last_mut().filter(|last| last.name == *owner) {
                    last.summary = last.summary.or(summary);
                }
            }
            _ => {}
        }
    }
    found
}
