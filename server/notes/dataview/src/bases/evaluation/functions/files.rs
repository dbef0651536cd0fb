//! Methods of files and of links to them.

use super::{LazyArguments, Method, method};
use crate::bases::evaluation::conversion::{file_path, text};
use crate::bases::names;
use crate::value::{Link, Name, Value};

/// The methods of a file. The receiver is its path.
pub(super) const METHODS: &[Method<Name>] = &[
    method("asLink", 0, 1, |path, args| {
        let link = Link::file(path.clone());
        let is_shown = args.count() > 0;
        Ok(Value::link(if is_shown { link.with_display(args.text(0)?) } else { link }))
    }),
    method("hasLink", 1, 1, |path, args| Ok(links_to(path, &args.value(0)?, args).into())),
    method("hasProperty", 1, 1, |path, args| {
        let name = args.text(0)?;
        let page = args.context.files.notes.get(path);
        Ok(page.is_some_and(|page| names::get(&page.properties, &name).is_some()).into())
    }),
    method("hasTag", 1, usize::MAX, |path, args| {
        let tags: Vec<String> = match args.context.files.notes.get(path) {
            Some(page) => page.all_tags().into_iter().map(str::to_lowercase).collect(),
            None => return Ok(false.into()),
        };
        for index in 0..args.count() {
            let tag = args.text(index)?.to_lowercase();
            if tags
                .iter()
                .any(|present| present.trim_start_matches('#') == tag.trim_start_matches('#'))
            {
                return Ok(true.into());
            }
        }
        Ok(false.into())
    }),
    method("inFolder", 1, 1, |path, args| {
        let folder = args.text(0)?;
        let folder = folder.trim_matches('/');
        let below = path.strip_prefix(folder);
        Ok((folder.is_empty() || below.is_some_and(|rest| rest.starts_with('/'))).into())
    }),
];

/// The methods of a link. The receiver is its path.
pub(super) const LINK_METHODS: &[Method<Name>] = &[
    method("asFile", 0, 0, |path, args| Ok(args.context.file(path))),
    method("linksTo", 1, 1, |path, args| Ok(links_to(path, &args.value(0)?, args).into())),
];

/// Whether the note at a path has a link to a file.
fn links_to(path: &Name, target: &Value, arguments: &LazyArguments<'_>) -> bool {
    let Some(target) = file_at(target, arguments) else { return false };
    let page = arguments.context.files.notes.get(path);
    page.is_some_and(|page| page.outgoing().any(|outgoing| *outgoing == target))
}

/// The path of the file that a value names: a file, a link, or a path as in a link. What names no file is returned as
/// it is, as in links to files that do not exist; `None` for null.
pub(super) fn file_at(value: &Value, arguments: &LazyArguments<'_>) -> Option<Name> {
    if let Some(path) = file_path(value) {
        return Some(path.clone());
    }
    if matches!(value, Value::Null) {
        return None;
    }
    let text = text(value);
    let inside = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
    let link = Link::inner(inside.unwrap_or(&text));
    let found = arguments.context.resolve(&link.path, arguments.file);
    Some(found.map_or(link.path, |path| path.as_str().into()))
}
