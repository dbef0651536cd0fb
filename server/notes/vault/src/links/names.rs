//! The table of file names in which links are looked up.

use hashbrown::HashMap;

use serde::{Deserialize, Serialize};

use crate::path::{Folder, VaultPath, fold};

/// Identifies a file of the vault as long as it keeps its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct FileId(u32);

impl FileId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every file's path, by path and by name.
#[derive(Default)]
pub(crate) struct FileNames {
    /// The files; a [`FileId`] is an index here. `None` where a file was removed.
    files: Vec<Option<Named>>,
    free: Vec<FileId>,
    /// The files with each folded path.
    by_path: HashMap<String, Vec<FileId>>,
    /// The files with each folded name, ordered by rank.
    by_name: HashMap<String, Vec<FileId>>,
    /// The number of files in each folder and below, by the path of the folder.
    in_folder: HashMap<String, usize>,
}

pub(super) struct Named {
    pub(super) path: VaultPath,
    /// `None` if the path is its own folded form.
    folded: Option<Box<str>>,
    /// The length of the folded path.
    length: u32,
}

impl Named {
    pub(super) fn new(path: VaultPath) -> Self {
        let folded = fold(path.as_str());
        let length = utf16_length(&folded);
        let folded = (folded != path.as_str()).then(|| folded.into_boxed_str());
        Self { path, folded, length }
    }

    pub(super) fn folded(&self) -> &str {
        self.folded.as_deref().unwrap_or(self.path.as_str())
    }

    pub(super) fn folded_name(&self) -> &str {
        let path = self.folded();
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    pub(super) fn length(&self) -> u32 {
        self.length
    }

    /// Rule 6 of [`links`](crate::links): of several files, the lowest rank wins.
    pub(super) fn rank(&self) -> (u32, &str, &str) {
        (self.length, self.folded(), self.path.as_str())
    }
}

impl FileNames {
    /// Adds a file, or finds its id if it is known.
    pub(crate) fn insert(&mut self, path: VaultPath) -> FileId {
        if let Some(known) = self.id(&path) {
            return known;
        }
        let id = self.free.pop().unwrap_or_else(|| self.new_id());
        self.enter(id, Named::new(path));
        id
    }

    /// The files by their ids, in order; `None` where there is no file.
    pub(crate) fn from_ids(paths: impl IntoIterator<Item = Option<VaultPath>>) -> Self {
        let mut names = Self::default();
        for path in paths {
            let id = names.new_id();
            match path {
                Some(path) => names.enter(id, Named::new(path)),
                None => names.free.push(id),
            }
        }
        names
    }

    fn new_id(&mut self) -> FileId {
        self.files.push(None);
        // No file system holds as many names as 2^32 files would need.
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    fn enter(&mut self, id: FileId, named: Named) {
        let Self { files, by_path, by_name, in_folder, .. } = self;
        for folder in parent_folders(&named.path) {
            *in_folder.entry_ref(folder).or_default() += 1;
        }
        by_path.entry_ref(named.folded()).or_default().push(id);
        let same_name = by_name.entry_ref(named.folded_name()).or_default();
        let rank = named.rank();
        let position = same_name.partition_point(|&other| {
            files[other.index()].as_ref().is_some_and(|other| other.rank() < rank)
        });
        same_name.insert(position, id);
        files[id.index()] = Some(named);
    }

    pub(crate) fn remove(&mut self, id: FileId) {
        if self.withdraw(id) {
            self.free.push(id);
        }
    }

    /// Gives a file another path, which must be free.
    pub(crate) fn rename(&mut self, id: FileId, path: VaultPath) {
        if self.withdraw(id) {
            self.enter(id, Named::new(path));
        }
    }

    /// Removes a file from the tables, and returns whether it was there.
    fn withdraw(&mut self, id: FileId) -> bool {
        let Some(named) = self.files.get_mut(id.index()).and_then(Option::take) else {
            return false;
        };
        for folder in parent_folders(&named.path) {
            if let Some(count) = self.in_folder.get_mut(folder) {
                *count -= 1;
                if *count == 0 {
                    self.in_folder.remove(folder);
                }
            }
        }
        remove_id(&mut self.by_path, named.folded(), id);
        remove_id(&mut self.by_name, named.folded_name(), id);
        true
    }

    /// The files in a folder and below, unordered.
    pub(crate) fn files_below(&self, folder: &Folder) -> Vec<FileId> {
        if !folder.as_str().is_empty() && !self.in_folder.contains_key(folder.as_str()) {
            return Vec::new();
        }
        self.iter().filter(|(_, path)| path.is_below(folder)).map(|(id, _)| id).collect()
    }

    /// The file of exactly this path.
    pub(crate) fn id(&self, path: &VaultPath) -> Option<FileId> {
        let folded = fold(path.as_str());
        let mut same = self.find_by_path(&folded).iter().copied();
        same.find(|&id| self.get(id).is_some_and(|named| named.path == *path))
    }

    pub(crate) fn path(&self, id: FileId) -> Option<&VaultPath> {
        self.get(id).map(|named| &named.path)
    }

    /// Every file, ordered by id, which is mostly their order in memory.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (FileId, &VaultPath)> {
        let ids = (0..=u32::MAX).map(FileId);
        ids.zip(self.paths_by_id()).filter_map(|(id, path)| Some((id, path?)))
    }

    /// The path of each id, in order; `None` where there is no file.
    pub(crate) fn paths_by_id(&self) -> impl Iterator<Item = Option<&VaultPath>> {
        self.files.iter().map(|file| file.as_ref().map(|named| &named.path))
    }

    /// An upper bound of all ids.
    pub(crate) fn id_limit(&self) -> usize {
        self.files.len()
    }

    pub(super) fn get(&self, id: FileId) -> Option<&Named> {
        self.files.get(id.index())?.as_ref()
    }

    /// The files with a folded path.
    pub(super) fn find_by_path(&self, path: &str) -> &[FileId] {
        self.by_path.get(path).map_or(&[], Vec::as_slice)
    }

    /// The files with a folded name, ordered by rank.
    pub(super) fn with_name(&self, name: &str) -> &[FileId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Removes a file from the table under a key.
fn remove_id(table: &mut HashMap<String, Vec<FileId>>, key: &str, id: FileId) {
    if let Some(ids) = table.get_mut(key) {
        ids.retain(|&other| other != id);
        if ids.is_empty() {
            table.remove(key);
        }
    }
}

/// The length of a folded text in UTF-16 units, as Obsidian counts.
pub(super) fn utf16_length(folded: &str) -> u32 {
    let units = if folded.is_ascii() { folded.len() } else { folded.encode_utf16().count() };
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// The paths of the folders that contain a file, directly or indirectly.
fn parent_folders(path: &VaultPath) -> impl Iterator<Item = &str> {
    path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at])
}
