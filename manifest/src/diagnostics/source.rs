//! The texts of a load, and places in them.

/// One file of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The path as displayed: as given, with `.` and `..` resolved.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// The files of a load: the root first, then the others in the order of `include`, then the cookbooks and the lock files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    read: Vec<Source>,
    unread: Vec<String>,
}

impl Sources {
    /// All files in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Source> {
        self.read.iter()
    }

    /// All files in order, with their paths relative to the folder of the root file where they are below it.
    pub fn beside_root(&self) -> impl Iterator<Item = (&str, &Source)> {
        let root = self.read.first().map_or("", |root| root.path.as_str());
        let folder = root.rfind('/').map_or("", |end| &root[..=end]);
        self.read
            .iter()
            .map(move |source| (source.path.strip_prefix(folder).unwrap_or(&source.path), source))
    }

    /// The file of a place.
    pub fn get(&self, place: Place) -> Option<&Source> {
        self.read.get(place.file)
    }

    /// The paths of all files that the load has asked for, also of those that could not be read.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let read = self.read.iter().map(|source| source.path.as_str());
        read.chain(self.unread.iter().map(String::as_str))
    }

    /// The paths of the files that could not be read.
    pub(crate) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Adds the path of a file that cannot be read.
    pub(crate) fn push_unread(&mut self, path: String) {
        self.unread.push(path);
    }

    /// Adds a file and returns its index.
    pub(crate) fn push(&mut self, source: Source) -> usize {
        self.read.push(source);
        self.read.len() - 1
    }
}

impl<'a> IntoIterator for &'a Sources {
    type Item = &'a Source;
    type IntoIter = std::slice::Iter<'a, Source>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A part of one line of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Index into [`Sources`].
    pub file: usize,
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Length in characters; at least 1.
    pub length: usize,
}

impl Place {
    pub(crate) fn start_of(file: usize) -> Self {
        Self { file, line: 1, column: 1, length: 1 }
    }
}
