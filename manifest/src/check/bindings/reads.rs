//! Where values are in an answer.

use serde_json::{Value, json};

use super::json_path::JsonPath;
use super::scope::Scope;
use crate::diagnostics::{Problem, Report};
use crate::model::BindingKind;
use crate::raw::RawRead;
use crate::yaml::{Kind, Node, Text};

/// A place in an answer.
pub(super) struct Read {
    /// The place in a table.
    pub(super) table: Value,
    /// Whether it is a list of elements.
    pub(super) is_each: bool,
}

/// Parses a path; `None` if it is invalid, which is reported.
pub(super) fn path(text: &Text, report: &mut Report) -> Option<JsonPath> {
    match JsonPath::parse(&text.value) {
        Ok(path) => Some(path),
        Err(why) => {
            let message = format!("`{}` is not a path: {why}", text.value);
            report.push(
                Problem::error(text.place, message).expected("a path such as `$.data.items[0]`"),
            );
            None
        }
    }
}

/// Parses a path in a table.
pub(super) fn path_table(text: &Text, report: &mut Report) -> Option<Value> {
    path(text, report).map(|path| path.table())
}

/// Parses a place; `None` if it is invalid, which is reported.
pub(super) fn read(scope: &mut Scope<'_>, raw: &RawRead, report: &mut Report) -> Option<Read> {
    node(scope, &raw.0, report)
}

pub(super) fn node(scope: &mut Scope<'_>, node: &Node, report: &mut Report) -> Option<Read> {
    match &node.kind {
        Kind::Text(text) => self::text(scope, text, report),
        Kind::Sequence(items) => first_of(items, report),
        Kind::Refused => None,
        _ => {
            let message = format!("{} is not a place in an answer", node.found());
            report.push(Problem::error(node.place, message).expected(
                "a path such as `$.items`, a list of paths, `header NAME` or `$parameter`",
            ));
            None
        }
    }
}

fn text(scope: &mut Scope<'_>, text: &Text, report: &mut Report) -> Option<Read> {
    if let Some(name) = text.value.strip_prefix("header ") {
        let without = match scope.kind {
            BindingKind::Http => None,
            BindingKind::Command => Some("the output of a command has no headers"),
            BindingKind::Mcp => Some("the result of a tool has no headers"),
        };
        if let Some(message) = without {
            report.push(
                Problem::error(text.place, message)
                    .expected("a path such as `$.items`, or `$parameter`"),
            );
            return None;
        }
        return Some(Read { table: json!({ "header": name.trim() }), is_each: false });
    }
    let reference = text
        .value
        .strip_prefix('$')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
    if let Some(reference) = reference {
        let referent = scope.find(reference, text.place, report)?;
        return Some(Read { table: json!({ "reference": referent.table }), is_each: false });
    }
    let path = path(text, report)?;
    Some(Read { table: json!({ "body": [path.table()] }), is_each: path.is_each() })
}

/// The first of several paths at which there is something.
fn first_of(items: &[Node], report: &mut Report) -> Option<Read> {
    let mut paths = Vec::new();
    for item in items {
        let Kind::Text(text) = &item.kind else {
            let message = format!("{} is not a path", item.found());
            report.push(Problem::error(item.place, message));
            return None;
        };
        paths.push(path(text, report)?);
    }
    let is_each = paths.iter().any(JsonPath::is_each);
    let paths: Value = paths.iter().map(JsonPath::table).collect();
    Some(Read { table: json!({ "body": paths }), is_each })
}
