//! Older names of operations, and how the arguments of their calls are translated.

use toolwrit_core::authority::{Alias, ArgumentPath, EachItem, Mapping};
use toolwrit_manifest as manifest;

use crate::rows::Rows;

impl<'a> Rows<'_, 'a> {
    pub(crate) fn alias(&self, alias: &manifest::Alias) -> Alias<'a> {
        Alias { name: self.arena.text(&alias.name), mapping: self.mapping(&alias.mapping) }
    }

    fn mapping(&self, mapping: &manifest::Mapping) -> Mapping<'a> {
        let manifest::Mapping { flatten, ignore, args, values, set, each } = mapping;
        let arena = self.arena;
        let args = args.iter().map(|(old, now)| (arena.text(old), self.path(now)));
        let values = values.iter().map(|(path, values)| {
            let values = values.iter().map(|(old, now)| (arena.text(old), self.json(now)));
            (self.path(path), arena.list(values))
        });
        Mapping {
            flatten: self.texts(flatten),
            ignore: arena.list(ignore.iter().map(|path| self.path(path))),
            args: arena.list(args),
            values: arena.list(values),
            set: arena.list(set.iter().map(|(path, value)| (self.path(path), self.json(value)))),
            each: arena.list(each.iter().map(|each| self.each(each))),
        }
    }

    fn each(&self, each: &manifest::EachItem) -> EachItem<'a> {
        let manifest::EachItem { from, into, item, id, mapping } = each;
        EachItem {
            from: self.arena.text(from),
            into: self.path(into),
            item: item.as_ref().map(|path| self.path(path)),
            id: id.as_ref().map(|path| self.path(path)),
            mapping: self.mapping(mapping),
        }
    }

    fn path(&self, path: &manifest::ArgumentPath) -> ArgumentPath<'a> {
        self.texts(path.keys())
    }
}
