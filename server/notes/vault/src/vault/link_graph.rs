//! What a note links to, the notes near it, and links that name no file.

use std::collections::BTreeMap;

use hashbrown::HashSet;

use super::{Vault, decode};
use crate::document::Document;
use crate::error::{Result, VaultError};
use crate::index::Index;
use crate::links::FileId;
use crate::links::canvas::Canvas;
use crate::path::{Folder, VaultPath, fold};
use crate::storage::walk::CancelCheck;

/// Most sources that are listed of a link.
const SOURCES: usize = 10;

/// A file that is linked, or a link that names none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundLink {
    /// The file.
    pub path: Option<VaultPath>,
    /// The target as the first link has it, decoded.
    pub target: Option<String>,
    /// The line of the first link, from 1.
    pub line: Option<usize>,
    /// How many links away the file is.
    pub depth: Option<usize>,
    /// How many links a note has to it, or how many files have such links.
    pub count: usize,
    /// The first files with such links, in the order of their paths.
    pub sources: Vec<VaultPath>,
}

/// The first links, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundLinks {
    pub links: Vec<FoundLink>,
    pub total: usize,
}

/// Which links lead from a note to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDirection {
    /// Its own.
    Out,
    /// Those of other files to it.
    In,
    Both,
}

impl FoundLinks {
    fn new(mut links: Vec<FoundLink>, limit: usize) -> Self {
        let total = links.len();
        links.truncate(limit);
        Self { links, total }
    }
}

impl Vault {
    /// The links of a note or canvas to files of the vault, in the order of the text; each file or unresolved target once.
    /// Links of the note to itself are left out.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `NotText`, `TooLarge`, `TooComplex`, `Cancelled`, `Io`.
    pub fn links_of(
        &self,
        path: &VaultPath,
        only_unresolved: bool,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<FoundLinks> {
        let entry = self.root().find_existing(path)?;
        let text = decode(&entry, entry.read()?.bytes)?.text;
        let path = entry.path;
        let targets = targets(&path, &text)?;
        let index = self.index(cancel)?;
        let source = index.names.id(&path);
        let mut known: BTreeMap<(Option<FileId>, String), usize> = BTreeMap::new();
        let mut links: Vec<FoundLink> = Vec::new();
        for (target, line) in targets {
            let file = index.names.current().resolve(&target, source);
            if target.is_empty() || file.is_some() && (file == source || only_unresolved) {
                continue;
            }
            let name = if file.is_some() { String::new() } else { fold(&target) };
            let place = *known.entry((file, name)).or_insert(links.len());
            if place == links.len() {
                let path = file.and_then(|file| index.names.path(file)).cloned();
                links.push(FoundLink { path, target: Some(target), line, ..FoundLink::default() });
            }
            links[place].count += 1;
        }
        Ok(FoundLinks::new(links, limit))
    }

    /// The files that are at most `depth` links away from a file, the nearest first. The sources of each are the files before
    /// it on the shortest ways.
    ///
    /// # Errors
    /// `NotFound`, `InvalidPath`, `Unopenable`, `Cancelled`.
    pub fn neighbours(
        &self,
        path: &VaultPath,
        direction: LinkDirection,
        depth: usize,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<FoundLinks> {
        let path = self.root().find_existing(path)?.path;
        let index = self.index(cancel)?;
        let mut last: Vec<FileId> = index.names.id(&path).into_iter().collect();
        let mut seen: HashSet<FileId> = last.iter().copied().collect();
        let mut links = Vec::new();
        for depth in 1..=depth {
            let mut found: BTreeMap<&VaultPath, Vec<&VaultPath>> = BTreeMap::new();
            for file in last {
                if cancel() {
                    return Err(VaultError::Cancelled);
                }
                let Some(source) = index.names.path(file) else { continue };
                for next in linked(&index, file, source, direction) {
                    if let Some(path) = index.names.path(next).filter(|_| !seen.contains(&next)) {
                        found.entry(path).or_default().push(source);
                    }
                }
            }
            last = found.keys().filter_map(|path| index.names.id(path)).collect();
            seen.extend(&last);
            links.extend(found.into_iter().map(|(path, sources)| {
                let path = Some(path.clone());
                FoundLink { path, depth: Some(depth), ..FoundLink::from_sources(sources) }
            }));
        }
        Ok(FoundLinks::new(links, limit))
    }

    /// The targets of links that name no file, in files in and below a folder, those of the most files first. No file is read.
    ///
    /// # Errors
    /// `NotFound` or `InvalidPath` if there is no such folder, `Unopenable`, `Cancelled`.
    pub fn unresolved_links(
        &self,
        folder: &Folder,
        limit: usize,
        cancel: CancelCheck<'_>,
    ) -> Result<FoundLinks> {
        let (_, folder) = self.root().open_folder(folder)?;
        let index = self.index(cancel)?;
        let mut found: BTreeMap<String, (String, Vec<&VaultPath>)> = BTreeMap::new();
        for (file, path) in index.names.iter().filter(|(_, path)| path.is_below(&folder)) {
            if cancel() {
                return Err(VaultError::Cancelled);
            }
            for target in index.facts(file).into_iter().flat_map(|facts| facts.targets.iter()) {
                if index.names.current().resolve(target, file).is_none() {
                    let (_, sources) = found
                        .entry(fold(target))
                        .or_insert_with(|| (target.to_owned(), Vec::new()));
                    sources.push(path);
                }
            }
        }
        let links = found.into_values().map(|(target, sources)| FoundLink {
            target: Some(target),
            ..FoundLink::from_sources(sources)
        });
        let mut links: Vec<FoundLink> = links.collect();
        links.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.target.cmp(&b.target)));
        Ok(FoundLinks::new(links, limit))
    }
}

impl FoundLink {
    /// A link of these files.
    fn from_sources(mut sources: Vec<&VaultPath>) -> Self {
        sources.sort_unstable();
        sources.dedup();
        let count = sources.len();
        Self {
            count,
            sources: sources.into_iter().take(SOURCES).cloned().collect(),
            ..Self::default()
        }
    }
}

/// The files that links lead to from a file.
fn linked(index: &Index, file: FileId, path: &VaultPath, direction: LinkDirection) -> Vec<FileId> {
    let mut next = Vec::new();
    if direction != LinkDirection::In {
        let targets = index.facts(file).into_iter().flat_map(|facts| facts.targets.iter());
        next.extend(targets.filter_map(|target| index.names.current().resolve(target, file)));
    }
    if direction != LinkDirection::Out {
        next.extend(index.files_linking(path).into_iter().map(|(source, _)| source));
    }
    next
}

/// The targets of the links of a file, each with its line if the file is a note.
fn targets(path: &VaultPath, text: &str) -> Result<Vec<(String, Option<usize>)>> {
    if !path.is_note() {
        let targets = Canvas::parse(text).targets();
        return Ok(targets.into_iter().map(|target| (target.trim().to_owned(), None)).collect());
    }
    let document = Document::parse(text)
        .map_err(|reason| VaultError::TooComplex { path: path.clone(), reason })?;
    let (mut at, mut line) = (0, 1);
    let internal = document.links.iter().filter(|link| !link.is_external());
    let targets = internal.map(|link| {
        line += text[at..link.span.start.max(at)].matches('\n').count();
        at = link.span.start.max(at);
        (link.target.trim().to_owned(), Some(line))
    });
    Ok(targets.collect())
}
