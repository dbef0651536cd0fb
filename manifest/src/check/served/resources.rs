//! MCP resources and their URI templates.

use std::collections::HashMap;

use super::arguments::arguments;
use crate::check::names::spelling::{self, Style};
use crate::check::text;
use crate::diagnostics::{Problem, Report};
use crate::model::{Argument, Resource};
use crate::raw::{Entry, RawResource};
use crate::yaml::Text;

pub(in crate::check) fn resources(
    raw: &[Entry<RawResource>],
    report: &mut Report,
) -> Vec<Resource> {
    let mut uris = HashMap::new();
    raw.iter()
        .map(|Entry { key, value }| {
            if let Some(uri) = &value.uri {
                check_uri(uri, report);
                if let Some(first) = uris.insert(&uri.value, uri.place) {
                    report.push(
                        Problem::error(
                            uri.place,
                            format!("the URI `{}` is given twice", uri.value),
                        )
                        .note("first given at", first),
                    );
                }
            }
            Resource {
                name: spelling::key("resource", key, Style::Kebab, report),
                uri: value.uri.as_ref().map(|uri| uri.value.clone()).unwrap_or_default(),
                title: text::optional("the title", value.title.as_ref(), report),
                summary: text::summary(value.summary.as_ref(), report),
                mime_type: mime_type(value.mime_type.as_ref(), report),
                variables: variables(value, report),
                subscribe: value.subscribe.as_ref().is_some_and(|subscribe| subscribe.value),
                tags: text::words("the tag", value.tags.as_ref(), report),
            }
        })
        .collect()
}

/// `scheme:rest`, in which `{name}` is a variable (RFC 6570, level 1).
fn check_uri(uri: &Text, report: &mut Report) {
    let has_scheme = uri.value.split_once(':').is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if !has_scheme || uri.value.contains(char::is_whitespace) {
        report.push(
            Problem::error(uri.place, format!("`{}` is not a URI", uri.value))
                .expected("a URI with its scheme, such as `vault://notes/{path}`"),
        );
        return;
    }
    match names(&uri.value) {
        None => report.push(
            Problem::error(uri.place, "the URI template is not well formed")
                .expected("`{name}` with letters, digits and `_` (RFC 6570, level 1)"),
        ),
        Some(names) => {
            for (at, name) in names.iter().enumerate() {
                if names[..at].contains(name) {
                    let message = format!("the variable `{name}` occurs twice in the URI template");
                    report.push(Problem::error(uri.place, message));
                }
            }
        }
    }
}

/// The variables of a template, in order; `None` if the template is malformed.
fn names(uri: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = uri;
    while let Some(at) = rest.find(['{', '}']) {
        let (name, behind) = rest[at..].strip_prefix('{')?.split_once('}')?;
        if !is_variable(name) {
            return None;
        }
        names.push(name);
        rest = behind;
    }
    Some(names)
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The variables of the URI, with their declared properties.
fn variables(raw: &RawResource, report: &mut Report) -> Vec<Argument> {
    let uri = raw.uri.as_ref();
    let Some(names) = uri.and_then(|uri| names(&uri.value)) else { return Vec::new() };
    let described = arguments(raw.variables.as_ref(), report);
    for entry in raw.variables.iter().flat_map(|variables| &variables.0) {
        let name = entry.key.value.as_str();
        if !names.contains(&name) {
            let message = format!("the URI has no variable `{name}`");
            if names.is_empty() {
                let problem = Problem::error(entry.key.place, message);
                report.push(
                    problem.help(format!("write `{{{name}}}` in the URI where its value belongs")),
                );
            } else {
                report.unknown_word(entry.key.place, message, name, &names);
            }
        }
    }
    let mut variables: Vec<Argument> = Vec::new();
    for name in names {
        let Some(place) = uri.map(|uri| uri.place) else { continue };
        let name = spelling::name("variable", name, place, Style::Argument, report);
        if variables.iter().any(|variable| variable.name == name) {
            continue;
        }
        let known = described.iter().find(|argument| argument.name == name).cloned();
        variables.push(known.unwrap_or(Argument {
            name,
            description: None,
            required: true,
            values: Vec::new(),
            complete: false,
        }));
    }
    variables
}

fn mime_type(text: Option<&Text>, report: &mut Report) -> Option<String> {
    let text = text?;
    let fine = text.value.split_once('/').is_some_and(|(kind, subtype)| {
        !kind.is_empty() && !subtype.is_empty() && !text.value.contains(char::is_whitespace)
    });
    if !fine {
        report.push(
            Problem::error(text.place, format!("`{}` is not a MIME type", text.value))
                .expected("a MIME type such as `text/markdown`"),
        );
    }
    Some(text.value.clone())
}
