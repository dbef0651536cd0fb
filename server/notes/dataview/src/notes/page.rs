//! Notes as queries see them.

use std::sync::{Arc, OnceLock};

use indexmap::IndexSet;
use jiff::Zoned;
use toolwrit_vault::VaultPath;

use super::draft::Draft;
use super::gathered::single_or_list;
use super::items::Item;
use crate::value::{Link, Map, Name, Object, Record, Value, title};

/// A note whose links are resolved.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: Name,
    pub(crate) link: Arc<Link>,
    pub(super) draft: Arc<Draft>,
    pub(super) links: Vec<Arc<Link>>,
    pub(super) fields: Map,
    /// The frontmatter with its dates and links.
    pub(crate) properties: Arc<Map>,
    items: OnceLock<Arc<[Value]>>,
}

impl Page {
    /// `resolve` finds the path of the file that a link in the note names.
    pub(super) fn new(
        path: &VaultPath,
        draft: Arc<Draft>,
        resolve: &dyn Fn(&str) -> Option<Name>,
    ) -> Self {
        let resolved = |link: &Arc<Link>| {
            let path = resolve(&link.path)?;
            Some(Arc::new(link.with_path(path)))
        };
        let path = Name::from(path.as_str());
        let or_same = |link: &Arc<Link>| resolved(link).unwrap_or_else(|| Arc::clone(link));
        let links = draft.links.iter().map(or_same).collect();
        let of_field =
            |(name, value): (&Name, &Value)| (Arc::clone(name), value.map_links(&resolved));
        let fields = draft.fields.iter().map(of_field).collect();
        let properties = Arc::new(draft.properties.iter().map(of_field).collect());
        let link = Arc::new(Link::file(Arc::clone(&path)));
        Self { path, link, draft, links, fields, properties, items: OnceLock::new() }
    }

    /// The note's name without folders and `.md`.
    pub(super) fn name(&self) -> &str {
        title(&self.path)
    }

    /// Its tags with the tags that they are below.
    pub(crate) fn all_tags<'a>(&'a self) -> IndexSet<&'a str> {
        let with_parents = |tag: &'a Name| {
            std::iter::successors(Some(&**tag), |tag| Some(tag.rsplit_once('/')?.0))
        };
        self.draft.tags.iter().flat_map(with_parents).collect()
    }

    /// Its list items as objects, in the order of their lines.
    pub(super) fn items(&self) -> &Arc<[Value]> {
        self.items.get_or_init(|| {
            let items = &self.draft.items;
            let mut objects: Vec<Value> = vec![Value::Null; items.len()];
            // Children come after their parents.
            for index in (0..items.len()).rev() {
                let child = |line: &usize| {
                    let at = items.binary_search_by_key(line, |item| item.line).ok()?;
                    Some(objects[at].clone())
                };
                let children = Value::list(items[index].children.iter().filter_map(child));
                let fields = self.item(&items[index], children);
                objects[index] = Value::Object(Object::Record(Arc::new(ItemRecord { fields })));
            }
            objects.into()
        })
    }

    /// Its tags with `#`, in the order of the note.
    pub(crate) fn tags(&self) -> &[Name] {
        &self.draft.tags
    }

    /// Its links, in order.
    pub(crate) fn links(&self) -> &[Arc<Link>] {
        &self.links
    }

    /// The size of its file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.draft.size
    }

    /// When it was created.
    pub(crate) fn created(&self) -> &Zoned {
        &self.draft.created
    }

    /// When it last changed.
    pub(crate) fn modified(&self) -> &Zoned {
        &self.draft.modified
    }

    /// The paths of its links, in order.
    pub(crate) fn outgoing(&self) -> impl Iterator<Item = &Name> {
        self.links.iter().map(|link| &link.path)
    }

    /// The list items that are tasks.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = &Value> {
        let items = self.draft.items.iter().zip(self.items().iter());
        items.filter(|(item, _)| item.task.is_some()).map(|(_, value)| value)
    }

    fn item(&self, item: &Item, children: Value) -> Map {
        let texts =
            |texts: &[Name]| Value::list(texts.iter().map(|text| Value::Text(Arc::clone(text))));
        let links = item.links.iter().map(|&at| Value::Link(Arc::clone(&self.links[at])));
        let section = Value::Link(Arc::clone(&item.section));
        let mut map = Map::new();
        let mut set = |name: &str, value: Value| drop(map.insert(name.into(), value));
        set("symbol", Value::Text(Arc::clone(&item.symbol)));
        set("link", Value::Link(item.link()));
        set("section", section.clone());
        set("text", Value::Text(Arc::clone(&item.text)));
        set("tags", texts(&item.tags));
        set("line", count(item.line));
        set("lineCount", count(item.line_count));
        set("list", count(item.list));
        set("outlinks", Value::list(links));
        set("path", Value::Text(Arc::clone(&self.path)));
        set("children", children.clone());
        set("task", item.task.is_some().into());
        set("annotated", (!item.fields.is_empty()).into());
        set("position", position(item));
        set("subtasks", children);
        set("real", item.task.is_some().into());
        set("header", section);
        if let Some(parent) = item.parent {
            set("parent", count(parent));
        }
        if let Some(id) = &item.block_id {
            set("blockId", Value::Text(Arc::clone(id)));
        }
        add_fields(item, &mut map);
        map
    }
}

/// Adds the fields of an item and the state of a task.
fn add_fields(item: &Item, map: &mut Map) {
    for (key, values) in &item.fields {
        if !map.contains_key(key) {
            map.insert(Arc::clone(key), single_or_list(values.clone()));
        }
    }
    let Some(task) = item.task else { return };
    map.insert("status".into(), Value::text(task.status.to_string()));
    map.insert("checked".into(), (task.status != ' ').into());
    map.insert("completed".into(), task.is_completed().into());
    map.insert("fullyCompleted".into(), task.is_fully_completed.into());
    let dates: [(&str, &[&str]); 5] = [
        ("created", &["created", "ctime", "cday"]),
        ("due", &["due", "duetime", "dueday"]),
        ("completion", &["completed", "completion", "comptime", "compday"]),
        ("start", &["start"]),
        ("scheduled", &["scheduled"]),
    ];
    for (name, keys) in dates {
        let values = keys.iter().find_map(|key| item.fields.get(*key));
        if let Some(value) = values.and_then(|values| values.first())
            && !value.is_null()
        {
            map.insert(name.into(), value.clone());
        }
    }
}

/// A number of lines or characters.
fn count(number: usize) -> Value {
    Value::Number(u32::try_from(number).map_or(f64::MAX, f64::from))
}

fn position(item: &Item) -> Value {
    let [start, end] = item.position.map(|(line, column)| {
        Value::map([("line".into(), count(line)), ("col".into(), count(column))].into())
    });
    Value::map([("start".into(), start), ("end".into(), end)].into())
}

/// A list item.
#[derive(Debug)]
struct ItemRecord {
    fields: Map,
}

/// Fields of a list item that are not shown with it: they are about its place or repeat other ones.
const HIDDEN: [&str; 16] = [
    "symbol",
    "link",
    "section",
    "tags",
    "lineCount",
    "list",
    "outlinks",
    "annotated",
    "position",
    "subtasks",
    "real",
    "header",
    "parent",
    "blockId",
    "checked",
    "fullyCompleted",
];

impl Record for ItemRecord {
    fn get(&self, name: &str) -> Option<Value> {
        self.fields.get(name).cloned()
    }

    fn names(&self) -> Vec<Name> {
        self.fields.keys().cloned().collect()
    }

    fn to_summary(&self) -> Value {
        let is_shown = |(name, value): &(&Name, &Value)| {
            !HIDDEN.contains(&&***name) && (***name != *"children" || value.is_truthy())
        };
        let shown = self.fields.iter().filter(is_shown);
        Value::map(shown.map(|(name, value)| (Arc::clone(name), value.clone())).collect())
    }
}
