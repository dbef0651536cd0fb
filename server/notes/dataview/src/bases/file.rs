//! Files as values: `file`, `this` and what `file()` and `asFile()` return.

use std::sync::Arc;

use jiff::tz::TimeZone;
use toolwrit_vault::{EntryKind, FileStat, FolderEntry, Vault, VaultPath};

use super::names;
use crate::notes::{Notes, Page};
use crate::value::{Link, Map, Name, Object, Record, TextKind, Value};

/// The properties of a file.
pub(super) const FIELDS: [&str; 14] = [
    "name",
    "basename",
    "path",
    "folder",
    "ext",
    "size",
    "properties",
    "tags",
    "links",
    "embeds",
    "backlinks",
    "ctime",
    "mtime",
    "file",
];

/// The folder of files that are in no other one.
const ROOT: &str = "/";

/// Where the properties of files come from.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) vault: Vault,
    pub(super) notes: Arc<Notes>,
    /// The zone of dates.
    pub(super) zone: TimeZone,
}

#[derive(Debug, Clone)]
pub(super) struct FileRecord {
    files: Files,
    path: VaultPath,
    name: Name,
    /// Its note, if it is one.
    page: Option<Arc<Page>>,
}

impl FileRecord {
    pub(super) fn new(files: &Files, path: &VaultPath) -> Self {
        let page = files.notes.get(path.as_str()).cloned();
        let name = page.as_ref().map_or_else(|| path.as_str().into(), |page| page.path.clone());
        Self { files: files.clone(), path: path.clone(), name, page }
    }

    pub(super) fn value(self) -> Value {
        Value::Object(Object::Record(Arc::new(self)))
    }

    pub(super) fn path(&self) -> &VaultPath {
        &self.path
    }

    /// The properties of its note; none for other files.
    pub(super) fn properties(&self) -> Arc<Map> {
        self.page.as_ref().map_or_else(Arc::default, |page| Arc::clone(&page.properties))
    }

    /// A property of its note.
    pub(super) fn property(&self, name: &str) -> Value {
        let found = self.page.as_ref().and_then(|page| names::get(&page.properties, name));
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    fn stat(&self) -> Option<FileStat> {
        let entry =
            FolderEntry { path: self.path.clone(), kind: EntryKind::Attachment, state: None };
        self.files.vault.stat(&[entry]).pop().flatten()
    }

    /// A time of a file that is not a note.
    fn time(&self, time: impl Fn(FileStat) -> Option<jiff::Timestamp>) -> Value {
        let time = self.stat().and_then(time);
        time.map_or(Value::Null, |time| Value::date(time.to_zoned(self.files.zone.clone())))
    }

    fn links(&self) -> impl Iterator<Item = &Arc<Link>> {
        self.page.iter().flat_map(|page| page.links())
    }
}

impl Record for FileRecord {
    fn get(&self, name: &str) -> Option<Value> {
        let field = names::find(FIELDS.into_iter(), name).map(|index| FIELDS[index])?;
        Some(match (field, &self.page) {
            ("name", _) => Value::text(self.path.name()),
            ("basename", _) => Value::text(self.path.stem()),
            ("path", _) => Value::Text(self.name.clone()),
            ("folder", _) => {
                let folder = self.name.rsplit_once('/');
                Value::text(folder.map_or(ROOT, |(folder, _)| folder))
            }
            ("ext", _) => Value::text(self.path.extension().unwrap_or_default()),
            #[expect(clippy::cast_precision_loss, reason = "files are smaller than 2^53 bytes")]
            ("size", page) => {
                let size = page.as_ref().map(|page| page.size());
                let size = size.or_else(|| self.stat().map(|stat| stat.size));
                size.map_or(Value::Null, |size| Value::Number(size as f64))
            }
            ("properties", _) => Value::Object(Object::Map(self.properties())),
            ("tags", page) => {
                let tags = page.iter().flat_map(|page| page.tags());
                Value::list(tags.map(|tag| Value::Typed(TextKind::Tag, tag.clone())))
            }
            ("links", _) => Value::list(self.links().cloned().map(Value::Link)),
            ("embeds", _) => {
                let embeds = self.links().filter(|link| link.embed);
                Value::list(embeds.cloned().map(Value::Link))
            }
            ("backlinks", _) => {
                let linking = self.files.notes.paths_linking_to(&self.name).iter();
                Value::list(linking.map(|path| Value::link(Link::file(path.clone()))))
            }
            ("ctime", Some(page)) => Value::date(page.created().clone()),
            ("ctime", None) => self.time(|stat| stat.created),
            ("mtime", Some(page)) => Value::date(page.modified().clone()),
            ("mtime", None) => self.time(|stat| stat.modified),
            ("file", _) => self.clone().value(),
            _ => return None,
        })
    }

    fn names(&self) -> Vec<Name> {
        FIELDS.map(Name::from).to_vec()
    }

    fn to_summary(&self) -> Value {
        Value::link(Link::file(self.name.clone()))
    }

    fn file(&self) -> Option<&Name> {
        Some(&self.name)
    }
}

/// The value of `this`: the properties of a file, and the file.
#[derive(Debug)]
pub(super) struct ThisRecord(pub(super) FileRecord);

impl Record for ThisRecord {
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "file" => Some(self.0.clone().value()),
            name => names::get(&self.0.properties(), name).map(|(_, value)| value.clone()),
        }
    }

    fn names(&self) -> Vec<Name> {
        let properties = self.0.properties();
        std::iter::once("file".into()).chain(properties.keys().cloned()).collect()
    }

    fn to_summary(&self) -> Value {
        self.0.to_summary()
    }

    fn file(&self) -> Option<&Name> {
        self.0.file()
    }
}
