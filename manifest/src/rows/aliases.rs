//! Older names of operations, and how the arguments of their calls are translated.

use toolwrit_rows::{Alias, ArgumentPath, EachItem, Harmless, Mapping};

use super::json;
use crate::model;

pub(super) fn alias(alias: &model::Alias) -> Alias {
    Alias { name: alias.name.clone(), mapping: mapping(&alias.mapping) }
}

fn mapping(mapping: &model::Mapping) -> Mapping {
    let model::Mapping { flatten, ignore, harmless, parse, args, values, set, each } = mapping;
    let values = values.iter().map(|(place, values)| {
        let values = values.iter().map(|(old, now)| (old.clone(), json(now)));
        (path(place), values.collect())
    });
    let harmless = harmless.iter().map(|model::Harmless { name, values, hint }| Harmless {
        name: name.clone(),
        values: values.clone(),
        hint: hint.clone(),
    });
    Mapping {
        harmless: harmless.collect(),
        parse: parse.clone(),
        flatten: flatten.clone(),
        ignore: ignore.iter().map(path).collect(),
        args: args.iter().map(|(old, now)| (old.clone(), path(now))).collect(),
        values: values.collect(),
        set: set.iter().map(|(place, value)| (path(place), json(value))).collect(),
        each: each.iter().map(each_item).collect(),
    }
}

fn each_item(each: &model::EachItem) -> EachItem {
    let model::EachItem { from, into, item, id, mapping: inner } = each;
    EachItem {
        from: from.clone(),
        into: path(into),
        item: item.as_ref().map(path),
        id: id.as_ref().map(path),
        mapping: mapping(inner),
    }
}

fn path(path: &model::ArgumentPath) -> ArgumentPath {
    path.keys().to_vec()
}
