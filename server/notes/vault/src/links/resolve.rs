//! From a link's target to the file it names, by the rules of [`links`](crate::links).

use std::borrow::Cow;

use super::names::{FileId, FileNames, Named, utf16_length};
use crate::path::{VaultPath, fold, normal_form};

/// A file with the path that it will have.
pub(crate) struct Renamed {
    pub(crate) file: FileId,
    to: Named,
}

impl Renamed {
    pub(crate) fn new(file: FileId, to: VaultPath) -> Self {
        Self { file, to: Named::new(to) }
    }
}

/// The names as they are now, or as they will be after a file is renamed.
#[derive(Clone, Copy)]
pub(crate) struct NamesView<'a> {
    names: &'a FileNames,
    renamed: Option<&'a Renamed>,
}

impl FileNames {
    pub(crate) fn current(&self) -> NamesView<'_> {
        NamesView { names: self, renamed: None }
    }

    pub(crate) fn after_rename<'a>(&'a self, renamed: &'a Renamed) -> NamesView<'a> {
        NamesView { names: self, renamed: Some(renamed) }
    }
}

/// How well a text spells a path; the greatest is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PathMatch {
    /// It does not.
    Different,
    /// But for case and normal form, which only some file systems ignore.
    Folded,
    Exact,
}

/// The files with one folded name.
#[derive(Clone, Copy)]
struct Candidates<'a> {
    view: NamesView<'a>,
    /// Ordered by rank. One of them may have been renamed.
    known: &'a [FileId],
    left: Option<FileId>,
    come: Option<FileId>,
}

/// A target that some file may match, after rules 1 and 2, and rule 4 for relative ones.
struct Sought<'a> {
    /// The path as written, without a leading `/`.
    path: Cow<'a, str>,
    folded: String,
    from_root: bool,
    candidates: Candidates<'a>,
}

impl<'a> NamesView<'a> {
    pub(crate) fn path(self, id: FileId) -> Option<&'a VaultPath> {
        self.get(id).map(|named| &named.path)
    }

    /// The folder of a file, empty for the root.
    pub(super) fn folder(self, id: impl Into<Option<FileId>>) -> &'a str {
        id.into().and_then(|id| self.path(id)).map_or("", |path| folder_part(path.as_str()))
    }

    fn get(self, id: FileId) -> Option<&'a Named> {
        match self.renamed {
            Some(renamed) if renamed.file == id => Some(&renamed.to),
            _ => self.names.get(id),
        }
    }

    /// The file that a link in `source` names by `target`, which is decoded and excludes the
    /// subpath. A link in no note is resolved as in a note in the root.
    pub(crate) fn resolve(self, target: &str, source: impl Into<Option<FileId>>) -> Option<FileId> {
        let (target, source) = (target.trim(), source.into());
        if target.is_empty() {
            return source;
        }
        let sought = self.parse_target(target, source)?;
        if let Some(only) = sought.candidates.only()
            && !target.contains('/')
        {
            return Some(only);
        }
        let exact = self.find_closest(&sought.path, &sought.folded);
        if exact.is_some() || sought.from_root {
            return exact;
        }
        let folder = source
            .and_then(|source| self.get(source))
            .map_or("", |source| folder_part(source.folded()));
        sought.candidates.first(&sought.folded, folder)
    }

    /// Whether a target, which names a file, is unambiguous.
    pub(super) fn is_unique(self, target: &str, source: FileId) -> bool {
        let Some(sought) = self.parse_target(target.trim(), Some(source)) else { return true };
        let several = || {
            let ending =
                sought.candidates.iter().filter(|(_, named)| named.is_path_suffix(&sought.folded));
            ending.take(2).count() > 1
        };
        sought.candidates.only().is_some()
            || self.find_closest(&sought.path, &sought.folded).is_some()
            || !several()
    }

    /// How a target spells the relative path of a file from the folder of `source`, as programs
    /// other than Obsidian read links.
    pub(super) fn relative_path(self, target: &str, source: FileId, file: FileId) -> PathMatch {
        let target = target.trim();
        let Some(file) = self.get(file) else { return PathMatch::Different };
        if target.starts_with('/')
            || leaves_root(self.folder(source), target)
            || fold(last_name(target)) != file.folded_name()
        {
            return PathMatch::Different;
        }
        let path = join_paths(self.folder(source), target);
        if path == file.path.as_str() {
            PathMatch::Exact
        } else if fold(&path) == file.folded() {
            PathMatch::Folded
        } else {
            PathMatch::Different
        }
    }

    fn parse_target<'t>(self, target: &'t str, source: Option<FileId>) -> Option<Sought<'t>>
    where
        'a: 't,
    {
        let name = fold(last_name(target));
        let as_written = if name.contains('.') { self.candidates(&name) } else { None };
        let extension = if as_written.is_some() { "" } else { ".md" };
        let candidates = as_written.or_else(|| self.candidates(&(name + extension)))?;
        let from_root = target.strip_prefix('/');
        let mut path = if target.starts_with("./") || target.starts_with("../") {
            join_paths(self.folder(source), target).into()
        } else {
            Cow::Borrowed(from_root.unwrap_or(target))
        };
        if !extension.is_empty() {
            path.to_mut().push_str(extension);
        }
        let folded = fold(&path);
        Some(Sought { path, folded, from_root: from_root.is_some(), candidates })
    }

    /// The files with a folded name; `None` if there are none.
    fn candidates(self, name: &str) -> Option<Candidates<'a>> {
        let has_name = |named: &Named| named.folded_name() == name;
        let known = self.names.with_name(name);
        let left = self.renamed.map(|renamed| renamed.file);
        let left = left.filter(|&file| self.names.get(file).is_some_and(has_name));
        let come = self.renamed.filter(|renamed| has_name(&renamed.to));
        let come = come.map(|renamed| renamed.file);
        let candidates = Candidates { view: self, known, left, come };
        (candidates.count() > 0).then_some(candidates)
    }

    /// Of the files at a folded path, the one whose spelling is closest to `path`.
    fn find_closest(self, path: &str, folded: &str) -> Option<FileId> {
        let moved_away = |id: FileId| self.renamed.is_some_and(|renamed| renamed.file == id);
        let moved_here = self.renamed.filter(|renamed| renamed.to.folded() == folded);
        let there = self.names.find_by_path(folded).iter().copied().filter(|&id| !moved_away(id));
        there
            .chain(moved_here.map(|renamed| renamed.file))
            .filter_map(|id| Some((id, self.path(id)?.as_str())))
            .min_by_key(|&(_, found)| {
                (found != path, normal_form(found) != normal_form(path), found)
            })
            .map(|(id, _)| id)
    }
}

impl Named {
    /// Whether the path ends with a folded text.
    fn is_path_suffix(&self, text: &str) -> bool {
        self.folded().ends_with(text)
    }
}

impl<'a> Candidates<'a> {
    fn count(&self) -> usize {
        self.known.len() - usize::from(self.left.is_some()) + usize::from(self.come.is_some())
    }

    fn iter(&self) -> impl Iterator<Item = (FileId, &'a Named)> {
        let Self { view, known, left, come } = *self;
        let stayed = known.iter().copied().filter(move |&id| Some(id) != left);
        stayed.chain(come).filter_map(move |id| Some((id, view.get(id)?)))
    }

    /// The only candidate, if there is just one.
    fn only(&self) -> Option<FileId> {
        if self.count() == 1 { self.iter().next().map(|(id, _)| id) } else { None }
    }

    /// Rule 6: the first whose path ends with a folded text, for a note in a folded folder.
    fn first(&self, text: &str, folder: &str) -> Option<FileId> {
        let stayed = self.first_below(text, folder).or_else(|| self.first_in(self.known, text));
        let all = stayed.into_iter().chain(self.come);
        let all = all.filter_map(|id| Some((id, self.view.get(id)?)));
        all.filter(|(_, named)| named.is_path_suffix(text))
            .min_by_key(|(_, named)| (!named.folded().starts_with(folder), named.rank()))
            .map(|(id, _)| id)
    }

    /// The first of some files, ordered by rank, whose path ends with a text.
    fn first_in(&self, files: &[FileId], text: &str) -> Option<FileId> {
        let ends = |id| self.view.names.get(id).is_some_and(|named| named.is_path_suffix(text));
        files.iter().copied().find(|&id| Some(id) != self.left && ends(id))
    }

    /// The first whose path also starts with a folder. Files with paths of equal length are sorted
    /// by path, so a binary search finds it. A name may belong to thousands of files.
    fn first_below(&self, text: &str, folder: &str) -> Option<FileId> {
        let named = |id: &FileId| self.view.names.get(*id);
        let length_of = |id: &FileId| named(id).map_or(0, Named::length);
        let path_of = |id: &FileId| named(id).map_or("", Named::folded);
        let least = utf16_length(folder);
        let mut rest = &self.known[self.known.partition_point(|id| length_of(id) < least)..];
        while let Some(first) = rest.first() {
            let length = length_of(first);
            let (of_length, longer) =
                rest.split_at(rest.partition_point(|id| length_of(id) == length));
            let from = of_length.partition_point(|id| path_of(id) < folder);
            let below = &of_length[from..];
            let count = below.partition_point(|id| path_of(id).starts_with(folder));
            let found = self.first_in(&below[..count], text);
            if found.is_some() {
                return found;
            }
            rest = longer;
        }
        None
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The path without its last name.
fn folder_part(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a relative path climbs above the vault's root, which only Obsidian takes for the root.
fn leaves_root(folder: &str, relative: &str) -> bool {
    let mut depth = folder.split('/').filter(|name| !name.is_empty()).count();
    relative.split('/').any(|name| {
        let above = name == ".." && depth == 0;
        match name {
            "" | "." => {}
            ".." => depth = depth.saturating_sub(1),
            _ => depth += 1,
        }
        above
    })
}

/// Resolves a path relative to a folder. Above the root is the root.
fn join_paths(folder: &str, relative: &str) -> String {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    names.join("/")
}
