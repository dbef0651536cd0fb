//! The implicit fields of a note: `file.name`, `file.tags` and so on.

use std::sync::Arc;

use jiff::Zoned;

use super::collection::Notes;
use super::page::Page;
use crate::datetime::start_of_day;
use crate::value::{Link, Name, Record, Value};

/// The names of the fields, in order. `day` exists only if the note has one.
const NAMES: [&str; 19] = [
    "path",
    "folder",
    "name",
    "link",
    "outlinks",
    "inlinks",
    "etags",
    "tags",
    "aliases",
    "lists",
    "tasks",
    "ctime",
    "cday",
    "mtime",
    "mday",
    "size",
    "frontmatter",
    "ext",
    "day",
];

/// The fields of `file`.
#[derive(Debug)]
pub(super) struct ImplicitFields {
    pub(super) page: Arc<Page>,
    pub(super) notes: Arc<Notes>,
}

impl Record for ImplicitFields {
    fn get(&self, name: &str) -> Option<Value> {
        let Page { path, link, draft, links, .. } = &*self.page;
        let texts =
            |texts: &[Name]| Value::list(texts.iter().map(|text| Value::Text(Arc::clone(text))));
        let the_day = |time| start_of_day(time, time.time_zone()).map_or(Value::Null, Value::date);
        Some(match name {
            "path" => Value::Text(Arc::clone(path)),
            "folder" => Value::text(path.rsplit_once('/').map_or("", |(folder, _)| folder)),
            "name" => Value::text(self.page.name()),
            "link" => Value::Link(Arc::clone(link)),
            "outlinks" => Value::list(links.iter().map(|link| Value::Link(Arc::clone(link)))),
            "inlinks" => {
                let linking = self.notes.paths_linking_to(path).iter();
                Value::list(linking.map(|path| Value::link(Link::file(Arc::clone(path)))))
            }
            "etags" => texts(&draft.tags),
            "tags" => Value::list(self.page.all_tags().into_iter().map(Value::text)),
            "aliases" => texts(&draft.aliases),
            "lists" => Value::List(Arc::clone(self.page.items())),
            "tasks" => Value::list(self.page.tasks().cloned()),
            "ctime" => date(&draft.created),
            "cday" => the_day(&draft.created),
            "mtime" => date(&draft.modified),
            "mday" => the_day(&draft.modified),
            #[expect(clippy::cast_precision_loss, reason = "notes are smaller than 2^53 bytes")]
            "size" => Value::Number(draft.size as f64),
            "frontmatter" => Value::map(draft.frontmatter.clone()),
            "ext" => Value::text(path.rsplit_once('.').map_or("", |(_, extension)| extension)),
            "day" => return draft.day.as_ref().map(date),
            _ => return None,
        })
    }

    fn names(&self) -> Vec<Name> {
        let count = NAMES.len() - usize::from(self.page.draft.day.is_none());
        NAMES[..count].iter().map(|name| Name::from(*name)).collect()
    }

    fn to_summary(&self) -> Value {
        Value::Link(Arc::clone(&self.page.link))
    }
}

fn date(date: &Zoned) -> Value {
    Value::date(date.clone())
}
