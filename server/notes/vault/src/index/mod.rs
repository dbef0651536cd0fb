//! The index: what is known of the vault without reading its files. It has their names, links,
//! tags, frontmatter and words. The text stays on disk.
//!
//! The index stores which notes *mention* a name. Which file a mention means is resolved when
//! asked, by the rules of [`links`](crate::links). So a new file changes no entry but its own.

mod batch;
mod build;
mod candidates;
mod facts;
mod live;
mod ranking;
mod rescan;
mod saved;
mod source;
mod tokens;
mod words;

use std::collections::BTreeSet;

use hashbrown::{DefaultHashBuilder, HashMap};
use serde::{Deserialize, Serialize};

use crate::links::{FileId, FileNames};
use crate::path::{Folder, VaultPath, fold};
use crate::storage::walk::LeftOut;
use source::Stamp;
use words::{EntryId, Words};

pub(crate) use facts::Facts;
pub(crate) use live::LiveIndex;
pub(crate) use saved::CacheFolder;
pub(crate) use tokens::{for_each_word, matches_word};

/// The index of a vault.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) names: FileNames,
    /// The entries; a [`FileId`] is an index here.
    files: Vec<Option<Indexed>>,
    words: Words,
    /// The files with links of each [`mention_key`].
    mentions: HashMap<String, Vec<FileId>>,
    /// How many notes could not be read as text.
    unread: usize,
    /// The visible entries that are not part of the vault.
    left_out: BTreeSet<LeftOut>,
    /// Counts the changes of files and names.
    changes: u64,
    /// The value of `changes` when it was saved last.
    saved: u64,
    /// Hashes the content of files.
    hasher: DefaultHashBuilder,
}

/// Kinds of files whose content is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum FileKind {
    Note,
    Canvas,
}

impl FileKind {
    fn from_path(path: &VaultPath) -> Option<Self> {
        let canvas =
            || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("canvas"));
        if path.is_note() { Some(Self::Note) } else { canvas().then_some(Self::Canvas) }
    }
}

/// What the index stores of a file.
#[derive(Serialize, Deserialize)]
struct Indexed {
    file: FileId,
    kind: FileKind,
    /// `None` if it could not be opened.
    stamp: Option<Stamp>,
    /// A hash of its content, valid in this process only.
    #[serde(skip)]
    version: u64,
    /// `None` if it is not a note or could not be read.
    entry: Option<EntryId>,
    facts: Facts,
}

/// What changes when a note is written: its content, its size or its times. It is valid as long as
/// the vault is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    version: u64,
    stamp: Option<Stamp>,
}

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexStatus {
    /// Nothing has needed it yet.
    NotStarted,
    /// It is being built.
    Building,
    /// It is built.
    Ready { notes: usize },
    /// The vault could not be read.
    Failed,
}

impl Indexed {
    fn is_unread(&self) -> bool {
        self.kind == FileKind::Note && self.entry.is_none()
    }
}

/// The key that a link target shares with all files that it may name: the name without folders,
/// folded, without `.md`.
fn mention_key(target: &str) -> String {
    let name = target.trim().rsplit_once('/').map_or(target.trim(), |(_, name)| name);
    let mut mention = fold(name);
    while let Some(stem) = mention.strip_suffix(".md") {
        mention.truncate(stem.len());
    }
    mention
}

impl Index {
    /// Enters a file, replacing its old entry.
    fn insert(&mut self, indexed: Indexed) {
        let id = indexed.file;
        self.remove_entry(id);
        self.changes += 1;
        self.unread += usize::from(indexed.is_unread());
        for target in indexed.facts.targets.iter() {
            let mentioning = self.mentions.entry(mention_key(target)).or_default();
            if mentioning.last() != Some(&id) {
                mentioning.push(id);
            }
        }
        if self.files.len() < self.names.id_limit() {
            self.files.resize_with(self.names.id_limit(), || None);
        }
        self.files[id.index()] = Some(indexed);
    }

    fn find_by_path(&self, path: &VaultPath) -> Option<&Indexed> {
        self.files.get(self.names.id(path)?.index())?.as_ref()
    }

    /// Whether the entry of a file is current: the stamp proves that the file has not changed.
    fn is_current(&self, path: &VaultPath, stamp: Option<&Stamp>) -> bool {
        match self.find_by_path(path) {
            Some(known) => known
                .stamp
                .as_ref()
                .zip(stamp)
                .is_some_and(|(known, now)| known.proves_unchanged(now)),
            None => FileKind::from_path(path).is_none() && self.names.id(path).is_some(),
        }
    }

    /// Removes a file's entry, but keeps its name.
    fn remove_entry(&mut self, id: FileId) {
        let Some(known) = self.files.get_mut(id.index()).and_then(Option::take) else { return };
        self.unread -= usize::from(known.is_unread());
        for target in known.facts.targets.iter() {
            let mention = mention_key(target);
            if let Some(mentioning) = self.mentions.get_mut(&mention) {
                mentioning.retain(|&other| other != id);
                if mentioning.is_empty() {
                    self.mentions.remove(&mention);
                }
            }
        }
        if let Some(entry) = known.entry {
            self.words.remove(entry);
        }
    }

    fn remove(&mut self, id: FileId) {
        self.remove_entry(id);
        self.changes += 1;
        self.names.remove(id);
    }

    /// Gives a moved file its new path. It keeps its name and so its words. If the new path is
    /// taken, the next rescan enters the file.
    fn follow_move(&mut self, from: &VaultPath, to: &VaultPath) {
        if from.name() == to.name()
            && self.names.id(to).is_none()
            && let Some(id) = self.names.id(from)
        {
            self.changes += 1;
            self.names.rename(id, to.clone());
        }
    }

    /// Removes dead entries if there are many.
    fn compact_if_needed(&mut self) {
        if !self.words.needs_compaction() {
            return;
        }
        let moved = self.words.compact();
        for indexed in self.files.iter_mut().flatten() {
            indexed.entry = indexed.entry.and_then(|entry| moved[entry.index()]);
        }
    }

    pub(crate) fn facts(&self, id: FileId) -> Option<&Facts> {
        Some(&self.files.get(id.index())?.as_ref()?.facts)
    }

    /// The notes that could be read, unordered.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (FileId, &Facts)> {
        let notes = self.files.iter().flatten().filter(|indexed| indexed.entry.is_some());
        notes.map(|indexed| (indexed.file, &indexed.facts))
    }

    /// The notes that could be read, with what changes when they do, unordered.
    pub(crate) fn revisions(&self) -> impl Iterator<Item = (&VaultPath, Revision)> {
        let notes = self.files.iter().flatten().filter(|indexed| indexed.entry.is_some());
        notes.filter_map(|indexed| {
            let revision = Revision { version: indexed.version, stamp: indexed.stamp };
            Some((self.names.path(indexed.file)?, revision))
        })
    }

    /// How often it has changed.
    pub(crate) fn change_count(&self) -> u64 {
        self.changes
    }

    /// How many notes could not be read as text.
    pub(crate) fn unread_count(&self) -> usize {
        self.unread
    }

    /// How many visible entries in and below a folder are not part of the vault.
    pub(crate) fn left_out_below(&self, folder: &Folder) -> usize {
        self.left_out.iter().filter(|entry| entry.is_below(folder)).count()
    }

    /// The files with links that may name a file of this path, in any folder.
    pub(crate) fn files_mentioning(&self, path: &VaultPath) -> &[FileId] {
        self.mentions.get(&mention_key(path.as_str())).map_or(&[], Vec::as_slice)
    }

    /// The targets of a file's links that may name a file of this path.
    pub(crate) fn mentions_in(
        &self,
        path: &VaultPath,
        source: FileId,
    ) -> impl Iterator<Item = &str> {
        let mentioned = mention_key(path.as_str());
        let targets = self.facts(source).into_iter().flat_map(|facts| facts.targets.iter());
        targets.filter(move |target| mention_key(target) == mentioned)
    }

    /// The other files with links that name this one, in the order of their paths.
    pub(crate) fn files_linking(&self, path: &VaultPath) -> Vec<(FileId, &VaultPath)> {
        let Some(file) = self.names.id(path) else { return Vec::new() };
        let links = |source: &FileId| {
            let named = |target| self.names.current().resolve(target, *source) == Some(file);
            *source != file && self.mentions_in(path, *source).any(named)
        };
        let linking = self.files_mentioning(path).iter().copied().filter(links);
        let mut linking: Vec<_> =
            linking.filter_map(|source| Some((source, self.names.path(source)?))).collect();
        linking.sort_unstable_by_key(|(_, path)| *path);
        linking
    }

    /// The scores of notes for folded words.
    pub(crate) fn scores(&self, words: &[String]) -> Vec<(FileId, f32)> {
        self.words.scores(words)
    }
}
