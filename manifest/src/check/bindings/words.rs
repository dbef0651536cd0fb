//! The words of a command. A value is one word or a part of one, and never an option or a program.

use serde_json::{Value, json};

use super::scope::Scope;
use super::shell;
use super::template::{Fits, Standing, value};
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::raw::RawTemplate;
use crate::yaml::{Kind, Node, Text};

/// Lowers the program, as a text, and its words. Empty if there is no program, which is reported.
pub(super) fn words(
    scope: &mut Scope<'_>,
    raw: Option<&[RawTemplate]>,
    place: Place,
    report: &mut Report,
) -> Vec<Value> {
    let Some(raw) = raw else { return Vec::new() };
    let Some((RawTemplate(first), rest)) = raw.split_first() else {
        report.push(
            Problem::error(place, "the command is empty").expected("a program and its words"),
        );
        return Vec::new();
    };
    let Some(program) = program(first, report) else { return Vec::new() };
    shell::code_is_literal(&program, rest, report);
    let mut words = vec![Value::from(program)];
    for RawTemplate(node) in rest {
        match &node.kind {
            Kind::Text(text) => words.extend(word(scope, text, report)),
            Kind::Mapping(options) => words
                .extend(options.iter().filter_map(|(key, node)| option(scope, key, node, report))),
            _ => not_a_word(node, report),
        }
    }
    words
}

fn not_a_word(node: &Node, report: &mut Report) {
    if matches!(node.kind, Kind::Refused) {
        return;
    }
    let problem = Problem::error(node.place, format!("{} is not a word", node.found()));
    report.push(if let Kind::Boolean(_) | Kind::Number(_) = node.kind {
        problem.help("quote it")
    } else {
        problem.expected("a text, `$parameter`, or a mapping of options")
    });
}

/// The program, which no value changes.
fn program(node: &Node, report: &mut Report) -> Option<String> {
    let Kind::Text(text) = &node.kind else {
        not_a_word(node, report);
        return None;
    };
    let name = text.value.as_str();
    let is_path = name.contains(['/', '\\']);
    let is_odd = name.is_empty() || name.starts_with('-') || name.contains(['$', '{', '}', '\0']);
    if is_odd || (is_path && !is_absolute(name)) {
        report.push(
            Problem::error(text.place, format!("`{name}` is not a program"))
                .expected("the name of a program, or its absolute path"),
        );
        return None;
    }
    Some(name.to_owned())
}

/// Whether a path does not depend on the folder of the server.
pub(super) fn is_absolute(path: &str) -> bool {
    let mut start = path.chars();
    let (first, second, third) = (start.next(), start.next(), start.next());
    let has_drive = first.is_some_and(|c| c.is_ascii_alphabetic()) && second == Some(':');
    first == Some('/') || (has_drive && matches!(third, Some('/' | '\\')))
}

/// An option and its value: `--author: $author`.
fn option(scope: &mut Scope<'_>, key: &Text, node: &Node, report: &mut Report) -> Option<Value> {
    let (name, is_optional) = split_optional(&key.value);
    if !name.starts_with('-') || name.contains(['=', '{', '}', '$']) {
        report.push(
            Problem::error(key.place, format!("`{name}` is not an option"))
                .expected("a word that begins with `-`, such as `--author`"),
        );
        return None;
    }
    let reference = match &node.kind {
        Kind::Text(text) => text.value.strip_prefix('$').map(|reference| (text, reference)),
        _ => None,
    };
    let Some((text, reference)) = reference else {
        report.push(
            Problem::error(node.place, "the value of an option is `$` and a name")
                .help("write options with other values as words"),
        );
        return None;
    };
    let standing = Standing { is_optional, fits: Fits::Scalars };
    let value = value(scope, reference, text.place, standing, report)?;
    Some(json!({ "option": { "name": name, "optional": is_optional, "value": value } }))
}

fn word(scope: &mut Scope<'_>, text: &Text, report: &mut Report) -> Option<Value> {
    if text.value.contains('\0') {
        report.push(Problem::error(text.place, "a word contains no NUL"));
        return None;
    }
    match text.value.strip_prefix('$') {
        Some(literal) if literal.starts_with('$') => {
            Some(json!({ "text": { "parts": [{ "text": literal }] } }))
        }
        Some(reference) => {
            let (reference, is_optional) = split_optional(reference);
            let standing = Standing { is_optional, fits: Fits::Scalars };
            let value = value(scope, reference, text.place, standing, report)?;
            Some(json!({ "values": { "optional": is_optional, "value": value } }))
        }
        None => Some(parts(scope, text, report)),
    }
}

/// A word with places for values: `--max={max}`. Braces of the word itself are doubled.
fn parts(scope: &mut Scope<'_>, text: &Text, report: &mut Report) -> Value {
    let (mut parts, mut literal, mut is_optional) = (Vec::new(), String::new(), false);
    let mut rest = text.value.as_str();
    while let Some(brace) = rest.find(['{', '}']) {
        literal.push_str(&rest[..brace]);
        rest = &rest[brace..];
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            literal.push_str(&rest[..1]);
            rest = after;
            continue;
        }
        let Some((reference, after)) = rest.strip_prefix('{').and_then(|at| at.split_once('}'))
        else {
            report.push(
                Problem::error(text.place, "a brace of the word has no counterpart")
                    .help("write `{{` for `{` and `}}` for `}`"),
            );
            return Value::Null;
        };
        if parts.is_empty() {
            chooses_no_option(&literal, text, report);
        }
        let start = text.value.len() - rest.len() + 1;
        let place = text.part(text.value[..start].chars().count(), reference.chars().count());
        let (reference, may_be_absent) = split_optional(reference);
        is_optional |= may_be_absent;
        let standing = Standing { is_optional: may_be_absent, fits: Fits::Scalar };
        if !literal.is_empty() {
            parts.push(json!({ "text": std::mem::take(&mut literal) }));
        }
        let value = value(scope, reference, place, standing, report);
        parts.extend(value.map(|value| json!({ "value": value })));
        rest = after;
    }
    literal.push_str(rest);
    if !literal.is_empty() || parts.is_empty() {
        parts.push(json!({ "text": literal }));
    }
    json!({ "text": { "optional": is_optional, "parts": parts } })
}

/// Reports an option whose name a value completes.
fn chooses_no_option(before: &str, text: &Text, report: &mut Report) {
    let is_open = match before.strip_prefix('-') {
        Some(name) if name.starts_with('-') => !name.contains('='),
        Some(name) => name.is_empty(),
        None => false,
    };
    if is_open {
        report.push(
            Problem::error(text.place, "a value would choose the option")
                .expected("the whole name of the option, such as `--max={max}`"),
        );
    }
}
