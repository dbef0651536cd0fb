//! Older names of operations: their names, and the places of their arguments in the current parameters.

use serde_json::{Map, Value, json};

use crate::diagnostics::{Place, Problem, Report};
use crate::model::{
    Alias, ArgumentPath, EachItem, Field, Harmless, Mapping, Model, Operation, Shape,
};
use crate::raw::{Entries, Entry, Located, RawEach, RawHarmless, RawLongAlias, RawOperation};
use crate::values::fits;
use crate::yaml::Text;

/// Digits of the largest position in a list. A call creates all items before it.
const MOST_DIGITS: usize = 2;
/// Bytes of the longest name.
const MOST_BYTES: usize = 60;

/// The aliases as written. [`check`] checks their arguments when all parameters are known.
pub(super) fn aliases(raw: &RawOperation, report: &mut Report) -> Vec<Alias> {
    let mut aliases = Vec::new();
    for raw in raw.aliases.iter().flatten() {
        let Some(names) = &raw.0.name else { continue };
        let each = raw.0.each.iter().flat_map(|each| &each.0).filter_map(each_item);
        let harmless =
            raw.0.harmless.iter().flat_map(|harmless| &harmless.0).filter_map(harmless_item);
        let parse = raw.0.parse.iter().flatten().map(|name| name.value.clone());
        let mapping = Mapping {
            each: each.collect(),
            harmless: harmless.collect(),
            parse: parse.collect(),
            ..RawMapping::from(&raw.0).mapping()
        };
        for name in &names.0 {
            check_name(&name.value, name.place, report);
            aliases.push(Alias { name: name.value.clone(), mapping: mapping.clone() });
        }
    }
    aliases
}

fn harmless_item(Entry { key, value }: &Entry<RawHarmless>) -> Option<Harmless> {
    let values = value.values.iter().flatten().map(|value| value.value.clone());
    Some(Harmless {
        name: key.value.clone(),
        values: values.collect(),
        hint: value.hint.as_ref()?.value.clone(),
    })
}

fn each_item(Entry { key, value }: &Entry<RawEach>) -> Option<EachItem> {
    let path = |text: &Text| ArgumentPath::parse(&text.value);
    Some(EachItem {
        from: key.value.clone(),
        into: path(value.into.as_ref()?),
        item: value.item.as_ref().map(path),
        id: value.id.as_ref().map(path),
        mapping: RawMapping::from(value).mapping(),
    })
}

type Values = Entries<Option<Located<Value>>>;

/// The keys that an alias and its items have in common.
struct RawMapping<'a> {
    flatten: &'a [Text],
    ignore: &'a [Text],
    args: &'a [Entry<Option<Text>>],
    values: &'a [Entry<Values>],
    set: &'a [Entry<Option<Located<Value>>>],
}

macro_rules! has_mapping {
    ($($raw:ident)*) => {$(
        impl<'a> From<&'a $raw> for RawMapping<'a> {
            fn from(raw: &'a $raw) -> Self {
                Self {
                    flatten: raw.flatten.as_deref().unwrap_or_default(),
                    ignore: raw.ignore.as_deref().unwrap_or_default(),
                    args: raw.args.as_ref().map_or(&[], |args| &args.0),
                    values: raw.values.as_ref().map_or(&[], |values| &values.0),
                    set: raw.set.as_ref().map_or(&[], |set| &set.0),
                }
            }
        }
    )*};
}

has_mapping!(RawLongAlias RawEach);

impl RawMapping<'_> {
    fn is_empty(&self) -> bool {
        let Self { flatten, ignore, args, values, set } = self;
        flatten.is_empty()
            && ignore.is_empty()
            && args.is_empty()
            && values.is_empty()
            && set.is_empty()
    }

    fn mapping(&self) -> Mapping {
        let given = |Entry { key, value }: &Entry<Option<Located<Value>>>| {
            Some((key.value.clone(), value.as_ref()?.value.clone()))
        };
        let args = self.args.iter().filter_map(|Entry { key, value }| {
            Some((key.value.clone(), ArgumentPath::parse(&value.as_ref()?.value)))
        });
        let values = self.values.iter().map(|Entry { key, value }| {
            let values: Map<String, Value> = value.0.iter().filter_map(given).collect();
            (ArgumentPath::parse(&key.value), values)
        });
        let set = self.set.iter().filter_map(given);
        Mapping {
            flatten: self.flatten.iter().map(|name| name.value.clone()).collect(),
            ignore: self.ignore.iter().map(|path| ArgumentPath::parse(&path.value)).collect(),
            args: args.collect(),
            values: values.collect(),
            set: set.map(|(path, value)| (ArgumentPath::parse(&path), value)).collect(),
            harmless: Vec::new(),
            parse: Vec::new(),
            each: Vec::new(),
        }
    }
}

/// Older names may be those of tools or of operations, so they may contain a dot.
fn check_name(name: &str, place: Place, report: &mut Report) {
    let is_word = |word: &str, more: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let argument = name.strip_suffix(')').and_then(|name| name.split_once('('));
    let fine = match argument.map(|(tool, argument)| (tool, argument, argument.split_once(": "))) {
        None => is_word(name, "_-."),
        Some((tool, _, Some((parameter, value)))) => {
            is_word(tool, "_-.") && is_word(parameter, "_-") && is_word(value, "_-./")
        }
        Some((tool, parameter, None)) => is_word(tool, "_-.") && is_word(parameter, "_-"),
    };
    if !fine || name.len() > MOST_BYTES {
        let expected = "1 to 60 letters, digits, `_`, `-` or `.`, and after them `(parameter: value)`, `(parameter)` or nothing";
        let message = format!("`{name}` is not a name for an alias");
        report.push(Problem::error(place, message).expected(expected));
    }
}

/// Checks that the arguments of aliases belong to parameters of the operation, and fit them.
pub(super) fn check(raw: &RawOperation, model: &Model, operation: &Operation, report: &mut Report) {
    let inputs = model.inputs(operation);
    for alias in raw.aliases.iter().flatten() {
        let mut checker = Checker { fields: &inputs, kind: "parameter", model, report };
        checker.check_alias(&alias.0);
    }
}

/// Checks a mapping against the current parameters, or the current fields of an item.
struct Checker<'a, 'r> {
    fields: &'a [Field],
    kind: &'static str,
    model: &'a Model,
    report: &'r mut Report,
}

impl<'a> Checker<'a, '_> {
    fn check_alias(&mut self, raw: &RawLongAlias) {
        let mapping = RawMapping::from(raw);
        self.check(&mapping);
        for Entry { key, .. } in raw.harmless.iter().flat_map(|harmless| &harmless.0) {
            self.check_older(key, None);
        }
        for name in raw.parse.iter().flatten() {
            if !mapping.args.iter().any(|entry| entry.key.value == name.value) {
                self.field(self.fields, self.kind, &name.value, name);
            }
        }
        let mut lists: Vec<ArgumentPath> = Vec::new();
        for Entry { key, value } in raw.each.iter().flat_map(|each| &each.0) {
            let Some(into) = &value.into else { continue };
            let list = ArgumentPath::parse(&into.value);
            self.check_older(key, Some(&list));
            if !lists.contains(&list) {
                self.check_unused(&mapping, into);
                lists.push(list);
            }
            self.check_items(into, value);
        }
    }

    /// Checks that no argument goes into a list to which items are added.
    fn check_unused(&mut self, mapping: &RawMapping<'_>, into: &Text) {
        let list = ArgumentPath::parse(&into.value);
        let renamed = mapping.args.iter().filter_map(|entry| entry.value.as_ref());
        let mut used = renamed.chain(mapping.set.iter().map(|entry| &entry.key));
        if let Some(other) = used.find(|other| ArgumentPath::parse(&other.value).overlaps(&list)) {
            let message = format!("`{}` and `{}` overlap", other.value, into.value);
            let help = "keep the list under `each`, or its items under `args` and `set`, not both";
            self.report.push(Problem::error(other.place, message).help(help));
        }
    }

    /// Checks how older items become current ones.
    fn check_items(&mut self, into: &Text, raw: &RawEach) {
        let Some(shape) = self.shape(&ArgumentPath::parse(&into.value), into) else { return };
        let items = match shape {
            Shape::Array { items, .. } => self.model.resolve(items),
            Shape::Json => shape,
            _ => {
                let message = format!("`{}` is not a list", into.value);
                let expected = "a parameter that is a list, or a pointer to a list";
                return self.report.push(Problem::error(into.place, message).expected(expected));
            }
        };
        let fields = match items {
            Shape::Record(fields) => fields.as_slice(),
            // Items of any shape have no fields to check, and others stay as they are.
            Shape::Json => return,
            _ if raw.item.is_none() && raw.id.is_none() && RawMapping::from(raw).is_empty() => {
                return;
            }
            _ => {
                let message = format!("the items of `{}` are not objects", into.value);
                return self.report.push(Problem::error(into.place, message));
            }
        };
        let mut items =
            Checker { fields, kind: "field", model: self.model, report: &mut *self.report };
        items.check(&RawMapping::from(raw));
        if let Some(item) = &raw.item {
            items.shape(&ArgumentPath::parse(&item.value), item);
        }
        if let Some(id) = &raw.id {
            let example = Located { value: json!("items-0-1f3a5c7e"), place: id.place };
            let path = ArgumentPath::parse(&id.value);
            items.check_value("the identifier", &path, id, Some(&example));
        }
    }

    fn check(&mut self, raw: &RawMapping<'_>) {
        let ignored = raw.ignore.iter().filter(|path| !path.value.starts_with('/'));
        for name in raw.flatten.iter().chain(ignored) {
            self.check_older(name, None);
        }
        let mut renamed: Vec<ArgumentPath> = Vec::new();
        for Entry { key, value } in raw.args {
            let Some(target) = value else { continue };
            let path = ArgumentPath::parse(&target.value);
            if self.shape(&path, target).is_some() {
                self.check_older(key, Some(&path));
                renamed.push(path);
            }
        }
        let mut fixed: Vec<ArgumentPath> = Vec::new();
        for Entry { key, value } in raw.set {
            let path = ArgumentPath::parse(&key.value);
            self.check_value("the fixed argument", &path, key, value.as_ref());
            if renamed.iter().any(|renamed| renamed.overlaps(&path)) {
                self.report.push(
                    Problem::error(key.place, format!("`{}` is both renamed and fixed", key.value))
                        .help("keep it under `args` or under `set`, not both"),
                );
            }
            fixed.push(path);
        }
        for Entry { key, value: values } in raw.values {
            let path = ArgumentPath::parse(&key.value);
            for Entry { value, .. } in &values.0 {
                self.check_value("the current value of", &path, key, value.as_ref());
            }
            if fixed.iter().any(|fixed| fixed.overlaps(&path)) {
                let message = format!("`{}` is fixed, so no call has a value of it", key.value);
                let problem = Problem::error(key.place, message);
                self.report.push(problem.help("keep it under `values` or under `set`, not both"));
            }
        }
    }

    /// Checks that an older name is not that of a current parameter with another meaning.
    fn check_older(&mut self, older: &Text, path: Option<&ArgumentPath>) {
        let is_same = path.is_some_and(|path| *path.keys() == [older.value.as_str()]);
        if !is_same && self.fields.iter().any(|field| field.name == older.value) {
            let message = format!("`{}` is a current {}", older.value, self.kind);
            let help = format!(
                "a name that is in use cannot also be the older name of another {}",
                self.kind
            );
            self.report.push(Problem::error(older.place, message).help(help));
        }
    }

    fn check_value(
        &mut self,
        what: &str,
        path: &ArgumentPath,
        key: &Text,
        value: Option<&Located<Value>>,
    ) {
        let (Some(shape), Some(value)) = (self.shape(path, key), value) else { return };
        if let Err(fault) = fits(self.model, shape, &value.value) {
            let message = format!("{what} `{}` does not fit its {}: {fault}", key.value, self.kind);
            self.report.push(Problem::error(value.place, message));
        }
    }

    /// The shape of the values at a path. `None` if there is no such place, which is reported.
    fn shape(&mut self, path: &ArgumentPath, text: &Text) -> Option<&'a Shape> {
        let (first, inner) = path.keys().split_first()?;
        let mut shape = self.field(self.fields, self.kind, first, text)?;
        for key in inner {
            let is_position = (1..=MOST_DIGITS).contains(&key.len())
                && key.bytes().all(|byte| byte.is_ascii_digit());
            shape = match shape {
                Shape::Json => return Some(shape),
                Shape::Record(fields) => self.field(fields, "field", key, text)?,
                // A key of digits means the position of an item.
                Shape::Map(values) if !is_position => self.model.resolve(values),
                Shape::Array { items, .. } if is_position => self.model.resolve(items),
                other => {
                    let message = match other {
                        Shape::Array { .. } => {
                            format!(
                                "`{}` leads into a list, and `{key}` is no position from 0 to 99",
                                text.value
                            )
                        }
                        _ => format!("`{}` leads into a value that is not an object", text.value),
                    };
                    let expected = format!("a {}, or a pointer into objects and lists", self.kind);
                    self.report.push(Problem::error(text.place, message).expected(expected));
                    return None;
                }
            };
        }
        Some(shape)
    }

    fn field(
        &mut self,
        fields: &'a [Field],
        kind: &str,
        name: &str,
        text: &Text,
    ) -> Option<&'a Shape> {
        let found = fields.iter().find(|field| field.name == name);
        if found.is_none() {
            let known = fields.iter().map(|field| field.name.as_str());
            self.report.unknown_reference(text.place, kind, name, known);
        }
        found.map(|field| self.model.resolve(&field.shape))
    }
}
