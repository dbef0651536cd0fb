//! From a link's target to the file it names.

use std::borrow::Cow;

use super::names::{FileId, Named, Names};
use crate::path::{VaultPath, folded, normal_form};

/// A file that is thought of under another path.
pub(crate) struct Renamed {
    pub(crate) file: FileId,
    to: Named,
}

impl Renamed {
    pub(crate) fn new(file: FileId, to: VaultPath) -> Self {
        Self { file, to: Named::new(to) }
    }
}

/// The names as they are, or as they will be once a file is renamed.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    names: &'a Names,
    renamed: Option<&'a Renamed>,
}

impl Names {
    /// The names as they are.
    pub(crate) fn now(&self) -> View<'_> {
        View { names: self, renamed: None }
    }

    /// The names as they will be.
    pub(crate) fn after<'a>(&'a self, renamed: &'a Renamed) -> View<'a> {
        View { names: self, renamed: Some(renamed) }
    }
}

impl<'a> View<'a> {
    /// The path of a file.
    pub(crate) fn path(self, id: FileId) -> Option<&'a VaultPath> {
        self.named(id).map(|named| &named.path)
    }

    fn named(self, id: FileId) -> Option<&'a Named> {
        match self.renamed {
            Some(renamed) if renamed.file == id => Some(&renamed.to),
            _ => self.names.named(id),
        }
    }

    /// The file that a link in `source` names by `target`, which is decoded and ends before `#`.
    /// The rules are those of [`links`](crate::links).
    pub(crate) fn resolve(self, target: &str, source: FileId) -> Option<FileId> {
        let target = target.trim();
        if target.is_empty() {
            return Some(source);
        }
        let source = self.path(source)?.as_str();
        let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
        if let Some(from_root) = target.strip_prefix('/') {
            return self.at(from_root);
        }
        if target.starts_with("./") || target.starts_with("../") {
            return self.at(&joined(folder, target)?);
        }
        let own = || if folder.is_empty() { None } else { self.at(&format!("{folder}/{target}")) };
        self.at(target).or_else(own).or_else(|| self.shortest(target))
    }

    /// The file at a path, `.md` optional.
    fn at(self, path: &str) -> Option<FileId> {
        let folded = folded(path);
        self.spelled(path, &folded)
            .or_else(|| self.spelled(&format!("{path}.md"), &format!("{folded}.md")))
    }

    /// Of the files at a folded path, the one that is spelled most like `path`.
    fn spelled(self, path: &str, folded: &str) -> Option<FileId> {
        let moved_away = |id: FileId| self.renamed.is_some_and(|renamed| renamed.file == id);
        let moved_here = self.renamed.filter(|renamed| renamed.to.folded() == folded);
        let there = self.names.at(folded).filter(|&id| !moved_away(id));
        there
            .chain(moved_here.map(|renamed| renamed.file))
            .filter_map(|id| Some((id, self.path(id)?.as_str())))
            .min_by_key(|&(_, found)| {
                (found != path, normal_form(found) != normal_form(path), found)
            })
            .map(|(id, _)| id)
    }

    /// Of the files whose paths end so, the one with the shortest path.
    fn shortest(self, target: &str) -> Option<FileId> {
        let target = folded(target);
        self.ending(&target).or_else(|| self.ending(&format!("{target}.md")))
    }

    fn ending(self, target: &str) -> Option<FileId> {
        let name = target.rsplit_once('/').map_or(target, |(_, name)| name);
        let ends = |named: &Named| {
            let start = named.folded().strip_suffix(target);
            start.is_some_and(|start| start.is_empty() || start.ends_with('/'))
        };
        let moved =
            self.renamed.filter(|renamed| renamed.to.folded_name() == name && ends(&renamed.to));
        let stayed = self.names.with_name(name).iter().copied().find(|&id| {
            self.renamed.is_none_or(|renamed| renamed.file != id)
                && self.names.named(id).is_some_and(ends)
        });
        let moved = moved.map(|renamed| renamed.file);
        stayed.into_iter().chain(moved).min_by_key(|&id| self.named(id).map(Named::rank))
    }
}

/// A path from a folder; `None` if it leads out of the vault.
fn joined<'a>(folder: &'a str, relative: &'a str) -> Option<Cow<'a, str>> {
    let mut segments: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "." => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(segments.join("/").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Names {
        let mut names = Names::default();
        for path in paths {
            names.insert(VaultPath::parse(path).unwrap());
        }
        names
    }

    /// What `target` names, in the first of the files.
    fn resolved<'a>(names: &'a Names, target: &str) -> Option<&'a str> {
        let found = names.now().resolve(target, FileId::first());
        found.and_then(|id| names.path(id)).map(VaultPath::as_str)
    }

    impl FileId {
        fn first() -> Self {
            Names::default().insert(VaultPath::parse("first").unwrap())
        }
    }

    #[test]
    fn a_path_from_the_root_wins_over_the_own_folder_and_that_over_the_shortest() {
        let all =
            names(&["x/source.md", "a.md", "x/a.md", "y/b.md", "x/b.md", "z/deep/c.md", "zz/c.md"]);
        for (target, found) in [
            ("a", Some("a.md")),
            ("a.md", Some("a.md")),
            ("x/a", Some("x/a.md")),
            ("b", Some("x/b.md")),
            ("c", Some("zz/c.md")),
            ("source", Some("x/source.md")),
            ("", Some("x/source.md")),
            (" a ", Some("a.md")),
            ("d", None),
            ("https://example.com", None),
        ] {
            assert_eq!(resolved(&all, target), found, "{target}");
        }
    }

    #[test]
    fn folders_above_do_not_count() {
        let all = names(&["x/y/source.md", "x/a.md", "z/a.md"]);
        assert_eq!(resolved(&all, "a"), Some("x/a.md"), "by the order of paths");
        let all = names(&["x/y/source.md", "x/a.md", "a/a.md"]);
        assert_eq!(resolved(&all, "a"), Some("a/a.md"), "by the order of paths");
    }

    #[test]
    fn the_shortest_text_wins_not_the_fewest_folders() {
        let all = names(&["source.md", "a-long-folder/n.md", "a/b/n.md"]);
        assert_eq!(resolved(&all, "n"), Some("a/b/n.md"));
        let all = names(&["source.md", "b/n.md", "a/n.md"]);
        assert_eq!(resolved(&all, "n"), Some("a/n.md"));
        // Two UTF-16 units against three letters, where bytes would be four against three.
        let all = names(&["source.md", "abc/n.md", "😀/n.md"]);
        assert_eq!(resolved(&all, "n"), Some("😀/n.md"));
    }

    #[test]
    fn the_end_of_a_path_is_enough_if_its_names_are_whole() {
        let all = names(&["source.md", "x/sub/n.md", "y/mysub/n.md"]);
        assert_eq!(resolved(&all, "sub/n"), Some("x/sub/n.md"));
        assert_eq!(resolved(&all, "mysub/n.md"), Some("y/mysub/n.md"));
        assert_eq!(resolved(&all, "ub/n"), None);
    }

    #[test]
    fn relative_and_absolute_targets_name_one_place() {
        let all = names(&["x/y/source.md", "x/a.md", "a.md", "x/y/b.md", "b.md", "q/c.md"]);
        for (target, found) in [
            ("../a", Some("x/a.md")),
            ("../../a.md", Some("a.md")),
            ("../../../a", None),
            ("./b", Some("x/y/b.md")),
            ("./../y/b", Some("x/y/b.md")),
            ("/b", Some("b.md")),
            ("./c", None),
            ("/c", None),
        ] {
            assert_eq!(resolved(&all, target), found, "{target}");
        }
    }

    #[test]
    fn case_and_normal_form_do_not_matter_unless_files_differ_in_nothing_else() {
        let all = names(&["source.md", "Cafe\u{301}.md", "x/Straße.md", "A.md", "a.md"]);
        for (target, found) in [
            ("CAFÉ", Some("Cafe\u{301}.md")),
            ("STRAßE", Some("x/Straße.md")),
            ("a", Some("a.md")),
            ("A", Some("A.md")),
            ("A.MD", Some("A.md")),
        ] {
            assert_eq!(resolved(&all, target), found, "{target}");
        }
    }

    #[test]
    fn other_files_need_their_extension_and_come_as_written() {
        let all = names(&["source.md", "p/scan.png", "scan.png.md", "v1.2.md"]);
        assert_eq!(resolved(&all, "scan"), None);
        assert_eq!(resolved(&all, "p/scan.png"), Some("p/scan.png"));
        assert_eq!(resolved(&all, "scan.png"), Some("scan.png.md"), "a path from the root wins");
        assert_eq!(resolved(&all, "v1.2"), Some("v1.2.md"));
    }

    #[test]
    fn a_renamed_file_is_found_at_its_new_place_only() {
        let all = names(&["source.md", "x/n.md", "xx/n.md", "yy/m.md"]);
        let id = |path: &str| all.id(&VaultPath::parse(path).unwrap()).unwrap();
        let source = id("source.md");
        let renamed = Renamed::new(id("yy/m.md"), VaultPath::parse("N.md").unwrap());
        assert_eq!(all.now().resolve("n", source), Some(id("x/n.md")));
        assert_eq!(all.after(&renamed).resolve("n", source), Some(id("yy/m.md")));
        assert_eq!(all.after(&renamed).resolve("m", source), None);
        let renamed = Renamed::new(id("x/n.md"), VaultPath::parse("long/n.md").unwrap());
        assert_eq!(all.after(&renamed).resolve("n", source), Some(id("xx/n.md")));
        assert_eq!(all.after(&renamed).resolve("long/n", source), Some(id("x/n.md")));
    }

    #[test]
    fn what_is_removed_is_not_found_and_its_place_is_used_again() {
        let mut all = names(&["source.md", "a.md", "x/a.md"]);
        let a = all.id(&VaultPath::parse("a.md").unwrap()).unwrap();
        all.remove(a);
        assert_eq!(resolved(&all, "a"), Some("x/a.md"));
        assert_eq!(all.insert(VaultPath::parse("b.md").unwrap()), a);
        assert_eq!((resolved(&all, "b"), all.bound()), (Some("b.md"), 3));
    }
}
