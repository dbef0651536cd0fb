//! MCP resources and their URI templates.

use std::collections::HashMap;

use super::naming::{self, Style};
use super::text;
use crate::model::Resource;
use crate::problem::Problem;
use crate::raw::{Entry, RawResource};
use crate::report::Report;
use crate::yaml::Text;

pub(super) fn resources(raw: &[Entry<RawResource>], report: &mut Report) -> Vec<Resource> {
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
                name: naming::key("resource", key, Style::Kebab, report),
                uri: value.uri.as_ref().map(|uri| uri.value.clone()).unwrap_or_default(),
                title: text::optional("the title", value.title.as_ref(), report),
                summary: text::summary(value.summary.as_ref(), report),
                mime_type: mime_type(value.mime_type.as_ref(), report),
            }
        })
        .collect()
}

/// `scheme:rest`, where `{name}` stands for a variable (RFC 6570, level 1).
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
    let mut seen = Vec::new();
    let mut rest = uri.value.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let variable = rest[at..].strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let Some((variable, behind)) = variable.filter(|(name, _)| is_variable(name)) else {
            report.push(
                Problem::error(uri.place, "the URI template is not well formed")
                    .expected("`{name}` with letters, digits and `_` (RFC 6570, level 1)"),
            );
            return;
        };
        if seen.contains(&variable) {
            let message = format!("the variable `{variable}` stands twice in the URI template");
            report.push(Problem::error(uri.place, message));
        }
        seen.push(variable);
        rest = behind;
    }
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
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
