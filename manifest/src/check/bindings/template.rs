//! JSON with places for values.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::scope::{Referent, Scope};
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{BindingKind, Shape};
use crate::raw::{Entries, Entry, RawTemplate};
use crate::yaml::{Kind, Node, Text};

/// Where a template stands.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    /// Whether something around it is left out if a value is absent.
    pub(super) is_optional: bool,
    /// What fits there.
    pub(super) fits: Fits,
}

/// The values that fit at a place of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fits {
    /// Any JSON.
    Any,
    /// Texts, numbers and truth values.
    Scalar,
    /// The same, and lists of them.
    Scalars,
}

impl Fits {
    fn admits(self, scope: &Scope<'_>, shape: &Shape) -> bool {
        match (self, scope.model.resolve(shape)) {
            (Self::Any, _) => true,
            (_, Shape::Json | Shape::Map(_) | Shape::Record(_))
            | (Self::Scalar, Shape::Array { .. }) => false,
            (Self::Scalars, Shape::Array { items, .. }) => Self::Scalar.admits(scope, items),
            _ => true,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Scalar => "a text, a number or a boolean",
            Self::Scalars => "a text, a number, a boolean, or a list of them",
        }
    }
}

/// Reports names that are given with `?` and without.
pub(super) fn each_once<'a>(keys: impl Iterator<Item = &'a Text>, report: &mut Report) {
    let mut first: HashMap<&str, Place> = HashMap::new();
    for key in keys {
        let (name, _) = split_optional(&key.value);
        if let Some(other) = first.insert(name, key.place) {
            let message = format!("`{name}` is given twice");
            report.push(Problem::error(key.place, message).note("first given at", other));
        }
    }
}

/// Warns of text in which `mark` stands before the name of a value: it is sent as it is written.
pub(super) fn text_with_values(
    scope: &Scope<'_>,
    text: &Text,
    mark: char,
    help: &str,
    report: &mut Report,
) {
    let name = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        rest[..end.unwrap_or(rest.len())].to_owned()
    };
    let mut names = text.value.split(mark).skip(1).map(name);
    if let Some(name) = names.find(|name| scope.has(name)) {
        let message = format!("`{}` is sent as it is written", text.value);
        let problem = Problem::warning(text.place, message);
        report.push(problem.help(format!("{help}; `{name}` is a value of the call")));
    }
}

/// Lowers a template. An invalid part is reported, and null in its place.
pub(super) fn template(
    scope: &mut Scope<'_>,
    raw: &RawTemplate,
    standing: Standing,
    report: &mut Report,
) -> Value {
    node(scope, &raw.0, standing, report)
}

fn node(scope: &mut Scope<'_>, node: &Node, standing: Standing, report: &mut Report) -> Value {
    let literal = |value: Value| json!({ "literal": value });
    match &node.kind {
        Kind::Text(text) => self::text(scope, text, standing, report),
        Kind::Sequence(items) if standing.fits != Fits::Scalar => {
            let inner = match standing.fits {
                Fits::Scalars => Standing { fits: Fits::Scalar, ..standing },
                _ => standing,
            };
            let items = items.iter().map(|item| self::node(scope, item, inner, report));
            json!({ "list": items.collect::<Vec<_>>() })
        }
        Kind::Mapping(members) if standing.fits == Fits::Any => {
            each_once(members.iter().map(|(key, _)| key), report);
            let members = members.iter().map(|(key, value)| {
                let (name, is_optional) = split_optional(&key.value);
                let standing =
                    Standing { is_optional: standing.is_optional || is_optional, ..standing };
                let value = self::node(scope, value, standing, report);
                entry(name, is_optional, &value)
            });
            json!({ "object": members.collect::<Vec<_>>() })
        }
        Kind::Sequence(_) | Kind::Mapping(_) => refused(node, standing, report),
        // A null has no spelling as text.
        Kind::Null if standing.fits == Fits::Scalar => refused(node, standing, report),
        // A refused part is reported.
        _ => literal(node.to_value().unwrap_or_default()),
    }
}

/// Reports a value that does not fit.
fn refused(node: &Node, standing: Standing, report: &mut Report) -> Value {
    let found = match node.kind {
        Kind::Null => "null".to_owned(),
        _ => node.found(),
    };
    let message = format!("{found} does not fit here");
    report.push(Problem::error(node.place, message).expected(standing.fits.expected()));
    json!({ "literal": null })
}

fn text(scope: &mut Scope<'_>, text: &Text, standing: Standing, report: &mut Report) -> Value {
    let Some(reference) = text.value.strip_prefix('$') else {
        for mark in ['$', '{'] {
            let help = "a value stands alone, as `$name`; only paths join text and values";
            text_with_values(scope, text, mark, help, report);
        }
        return json!({ "literal": text.value });
    };
    if reference.starts_with('$') {
        return json!({ "literal": reference });
    }
    match value(scope, reference, text.place, standing, report) {
        Some(table) => json!({ "value": table }),
        None => json!({ "literal": null }),
    }
}

/// Finds a value that fits at a place. `None` if there is none, which is reported.
pub(super) fn value(
    scope: &mut Scope<'_>,
    reference: &str,
    place: Place,
    standing: Standing,
    report: &mut Report,
) -> Option<Value> {
    let Referent { table, may_be_absent, shape } = scope.find(reference, place, report)?;
    if may_be_absent && !standing.is_optional {
        report.push(
            Problem::error(
                place,
                format!("`{reference}` may be absent, and nothing is left out then"),
            )
            .help(match scope.kind {
                BindingKind::Http | BindingKind::Mcp => {
                    "end the key above with `?`, which leaves it out, or give the value a default"
                }
                BindingKind::Command => {
                    "end the name or the option with `?`, which leaves out the word, or give the value a default"
                }
            }),
        );
        return None;
    }
    if let Some(shape) = shape
        && !standing.fits.admits(scope, shape)
    {
        report.push(
            Problem::error(place, format!("the value of `{reference}` does not fit here"))
                .expected(standing.fits.expected()),
        );
        return None;
    }
    Some(table)
}

/// An entry of a table.
pub(super) fn entry(name: &str, is_optional: bool, value: &Value) -> Value {
    if is_optional {
        json!({ "name": name, "optional": true, "value": value })
    } else {
        json!({ "name": name, "value": value })
    }
}

/// Paths and the values that must be there.
pub(super) fn requirements(
    scope: &mut Scope<'_>,
    raw: &Entries<RawTemplate>,
    is_optional: bool,
    report: &mut Report,
) -> Value {
    let standing = Standing { is_optional, fits: Fits::Any };
    let requirements = raw.0.iter().filter_map(|Entry { key, value }| {
        let path = super::reads::path(key, report);
        let value = template(scope, value, standing, report);
        Some(json!({ "path": path?.table(), "value": value }))
    });
    requirements.collect()
}
