//! Shorter ways to write static tables, as a macro would.

use toolwrit_bindings::model::{
    Element, Entry, Field, List, ListStyle, Literal, Parameter, Path, PathPart, Read, Reference,
    Requirement, Root, Segment, Setting, Shape, Template, Text,
};

/// A list of a static table.
macro_rules! list {
    ($($item:expr),* $(,)?) => {
        ::toolwrit_bindings::model::List::Borrowed(const { &[$($item),*] })
    };
}
pub(crate) use list;

pub(crate) const fn text(text: &'static str) -> Text {
    Text::Borrowed(text)
}

pub(crate) const fn name(name: &'static str) -> Segment {
    Segment::Name(text(name))
}

/// `$.a.b`
pub(crate) const fn path(segments: List<Segment>) -> Path {
    Path(segments)
}

/// `$name`, an argument.
pub(crate) const fn argument(name: &'static str) -> Reference {
    Reference { root: Root::Argument(text(name)), path: Path::ROOT }
}

/// `$name`, a whole argument.
pub(crate) const fn whole(name: &'static str) -> Template {
    Template::Value(argument(name))
}

pub(crate) const fn literal(value: &'static str) -> Template {
    Template::Literal(Literal::Text(text(value)))
}

pub(crate) const fn entry(name: &'static str, value: Template) -> Entry {
    Entry { name: text(name), optional: false, value }
}

/// `name?: value`
pub(crate) const fn optional(name: &'static str, value: Template) -> Entry {
    Entry { name: text(name), optional: true, value }
}

pub(crate) const fn object(entries: List<Entry>) -> Template {
    Template::Object(entries)
}

pub(crate) const fn array(items: List<Template>) -> Template {
    Template::List(items)
}

pub(crate) const fn parameter(entry: Entry) -> Parameter {
    Parameter { entry, style: ListStyle::Comma }
}

pub(crate) const fn text_in_path(part: &'static str) -> PathPart {
    PathPart::Text(text(part))
}

pub(crate) const fn value_in_path(name: &'static str) -> PathPart {
    PathPart::Value(argument(name))
}

pub(crate) const fn segments_in_path(name: &'static str) -> PathPart {
    PathPart::Segments(argument(name))
}

pub(crate) const fn body(paths: List<Path>) -> Read {
    Read::Body(paths)
}

pub(crate) const fn header(name: &'static str) -> Read {
    Read::Header(text(name))
}

/// A field with the same name in the answer.
pub(crate) const fn field(name: &'static str, shape: Shape) -> Field {
    Field { name: text(name), optional: false, read: None, shape }
}

/// A field that is elsewhere.
pub(crate) const fn field_at(name: &'static str, read: Read, shape: Shape) -> Field {
    Field { name: text(name), optional: false, read: Some(read), shape }
}

/// `name?`
pub(crate) const fn optional_at(name: &'static str, read: Read, shape: Shape) -> Field {
    Field { name: text(name), optional: true, read: Some(read), shape }
}

pub(crate) const fn named_shape(name: &'static str) -> Shape {
    Shape::Named(text(name))
}

pub(crate) const fn list_of(shape: &'static Shape) -> Shape {
    Shape::List(Element::Static(shape))
}

pub(crate) const fn setting(name: &'static str) -> Setting {
    Setting { name: text(name), ..Setting::TEXT }
}

pub(crate) const fn secret(name: &'static str) -> Setting {
    Setting { name: text(name), sensitive: true, ..Setting::TEXT }
}

/// A setting of which each account has its own.
pub(crate) const fn own_setting(name: &'static str) -> Setting {
    Setting { name: text(name), per_account: true, ..Setting::TEXT }
}

/// A secret of which each account has its own.
pub(crate) const fn own_secret(name: &'static str) -> Setting {
    Setting { name: text(name), sensitive: true, per_account: true, ..Setting::TEXT }
}

pub(crate) const fn requires(path: Path, value: Template) -> Requirement {
    Requirement { path, value }
}
