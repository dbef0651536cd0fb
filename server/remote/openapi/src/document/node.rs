//! A value in one of the documents, with its location. Reading is tolerant: what has another type is absent.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::document::documents::Documents;

/// References that lead to references are followed so often.
const MOST_REFERENCES: usize = 32;

/// A value and its location.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    documents: &'a Documents,
    document: usize,
    pointer: String,
    pub(crate) value: &'a Value,
}

/// The identity of a location.
pub(crate) type NodeId = (usize, String);

impl<'a> Node<'a> {
    pub(crate) fn root(documents: &'a Documents) -> Self {
        Self { documents, document: 0, pointer: String::new(), value: documents.root() }
    }

    pub(crate) fn id(&self) -> NodeId {
        (self.document, self.pointer.clone())
    }

    /// Its JSON pointer as the list of losses has it: after the name of its document unless that is the root.
    pub(crate) fn location(&self) -> String {
        match self.documents.name(self.document) {
            "" => self.pointer.clone(),
            name => format!("{name}#{}", self.pointer),
        }
    }

    /// The name of the last step to it, as it is written in the document.
    pub(crate) fn name(&self) -> String {
        decode_step(self.pointer.rsplit('/').next().unwrap_or_default())
    }

    /// Whether it is a shared schema, whose name says what it is.
    pub(crate) fn is_component(&self) -> bool {
        let parent = self.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        parent.ends_with("/schemas")
            || parent.ends_with("/definitions")
            || parent.ends_with("/$defs")
    }

    /// The shared schemas of its document that extend this one with `allOf`.
    pub(crate) fn heirs(&self) -> Vec<Self> {
        let root = Self {
            pointer: String::new(),
            value: self.documents.value(self.document),
            ..self.clone()
        };
        let shared =
            [root.raw("components").and_then(|all| all.raw("schemas")), root.raw("definitions")];
        let name = format!("/{}", self.pointer.rsplit('/').next().unwrap_or_default());
        let extends = |schema: &Self| {
            let parts = schema.raw("allOf");
            let mut parts = parts.iter().flat_map(Self::items);
            parts.any(|part| {
                // Most references lead elsewhere, which their end tells.
                part.text("$ref").is_some_and(|reference| reference.ends_with(&name))
                    && part.resolve().is_some_and(|base| base.id() == self.id())
            })
        };
        let all = shared.iter().flatten().flat_map(Self::entries).map(|(_, schema)| schema);
        all.filter(extends).collect()
    }

    /// The same place, of which nothing is known.
    pub(crate) fn of_any_value(&self) -> Self {
        static ANY: Value = Value::Null;
        Self { value: &ANY, ..self.clone() }
    }

    fn child(&self, key: &str, value: &'a Value) -> Self {
        let step = key.replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("{}/{step}", self.pointer), value, ..self.clone() }
    }

    /// A member, with its reference followed.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        self.raw(key)?.resolve()
    }

    /// A member as it is written.
    pub(crate) fn raw(&self, key: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(key)?;
        (!value.is_null()).then(|| self.child(key, value))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.value.get(key)?.as_str()
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.value.get(key)?.as_bool()
    }

    /// The members, as they are written.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, Self)> {
        let entries = self.value.as_object().into_iter().flatten();
        entries.map(|(key, value)| (key.as_str(), self.child(key, value)))
    }

    /// The elements, as they are written.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items.map(|(at, value)| self.child(&at.to_string(), value))
    }

    /// Where its reference leads; itself if it has none, and `None` if that leads nowhere.
    pub(crate) fn resolve(&self) -> Option<Self> {
        let mut node = self.clone();
        for _ in 0..MOST_REFERENCES {
            let Some(reference) = node.text("$ref") else { return Some(node) };
            node = node.follow(reference)?;
        }
        None
    }

    fn follow(&self, reference: &str) -> Option<Self> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let document = self.documents.find_target(self.document, document)?;
        let fragment = percent_decode_str(fragment).decode_utf8().ok()?;
        let root = self.documents.value(document);
        let mut node =
            Self { documents: self.documents, document, pointer: String::new(), value: root };
        let steps = if fragment.is_empty() { None } else { Some(fragment.strip_prefix('/')?) };
        for step in steps.into_iter().flat_map(|steps| steps.split('/')) {
            let key = decode_step(step);
            let value = match node.value {
                Value::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                value => value.get(&key)?,
            };
            node = node.child(&key, value);
        }
        Some(node)
    }
}

fn decode_step(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
