//! Requests: method, path, query, headers and body.

use serde_json::{Map, Value, json};
use toolwrit_words::headers::is_set_by_engine;

use super::header;
use super::scope::Scope;
use super::template::{Fits, Standing, each_once, entry, template, text_with_values, value};
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::raw::{Entries, Entry, RawBytes, RawParameter, RawRequest, RawTemplate};
use crate::yaml::{Kind, Node, Text};

/// A method, and the key with the path.
#[derive(Clone, Copy)]
pub(super) struct Method<'a> {
    pub(super) name: &'static str,
    pub(super) path: &'a Text,
}

/// The only method of a binding; `None` if there is not exactly one, which is reported.
pub(super) fn method<'a>(
    raw: &'a RawRequest,
    place: Place,
    report: &mut Report,
) -> Option<Method<'a>> {
    let given = [
        ("get", &raw.get),
        ("post", &raw.post),
        ("put", &raw.put),
        ("patch", &raw.patch),
        ("delete", &raw.delete),
    ];
    let given =
        given.into_iter().filter_map(|(name, path)| Some(Method { name, path: path.as_ref()? }));
    let given: Vec<_> = given.collect();
    let [method] = given[..] else {
        let what = if given.is_empty() { "no method" } else { "more than one method" };
        report.push(
            Problem::error(place, format!("the request has {what}"))
                .expected("exactly one of `get`, `post`, `put`, `patch` and `delete`"),
        );
        return None;
    };
    Some(method)
}

/// What requests of all kinds have.
pub(super) struct RawParts<'a> {
    pub(super) path: &'a Text,
    pub(super) query: Option<&'a Entries<RawParameter>>,
    pub(super) headers: Option<&'a Entries<RawTemplate>>,
}

/// Lowers path, query and headers.
pub(super) fn parts(
    scope: &mut Scope<'_>,
    raw: &RawParts<'_>,
    is_optional: bool,
    report: &mut Report,
) -> Map<String, Value> {
    let mut table = Map::new();
    table.insert("path".to_owned(), path(scope, raw.path, is_optional, report));
    if let Some(query) = raw.query {
        table.insert("query".to_owned(), parameters(scope, query, is_optional, report));
    }
    if let Some(headers) = raw.headers {
        table.insert("headers".to_owned(), self::headers(scope, headers, is_optional, report));
    }
    table
}

/// Lowers a path with places for values: `/posts/{id}`, or `/files/{+path}` for several segments.
fn path(scope: &mut Scope<'_>, text: &Text, is_optional: bool, report: &mut Report) -> Value {
    let written = text.value.as_str();
    let is_bad = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '\\');
    let has_dots = written.split('/').any(|segment| matches!(segment, "." | ".."));
    if !(written.is_empty() || written.starts_with('/')) || written.contains(is_bad) || has_dots {
        report.push(
            Problem::error(text.place, format!("`{written}` is not the path of a request"))
                .expected("a path that begins with `/`, without a query, spaces and dot segments"),
        );
    }
    text_with_values(scope, text, '$', "in a path write `{name}`", report);
    let standing = Standing { is_optional, fits: Fits::Scalar };
    let list = Standing { fits: Fits::Scalars, ..standing };
    let (mut parts, mut rest) = (Vec::new(), written);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            report.push(Problem::error(text.place, "a `{` of the path has no `}`"));
            break;
        };
        if !before.is_empty() {
            parts.push(json!({ "text": before }));
        }
        let (kind, name, standing) = match name.strip_prefix('+') {
            Some(name) => ("segments", name, standing),
            None => ("value", name, list),
        };
        let start = written[..written.len() - after.len() - name.len() - 1].chars().count();
        let place = text.part(start, name.chars().count());
        parts.extend(
            value(scope, name, place, standing, report).map(|table| json!({ kind: table })),
        );
        rest = after;
    }
    if !rest.is_empty() {
        parts.push(json!({ "text": rest }));
    }
    parts.into()
}

/// Lowers the parameters of a query or form.
fn parameters(
    scope: &mut Scope<'_>,
    raw: &Entries<RawParameter>,
    is_optional: bool,
    report: &mut Report,
) -> Value {
    each_once(raw.0.iter().map(|entry| &entry.key), report);
    let parameters = raw.0.iter().map(|Entry { key, value }| {
        let (name, is_key_optional) = split_optional(&key.value);
        let standing =
            Standing { is_optional: is_optional || is_key_optional, fits: Fits::Scalars };
        let table = template(scope, &value.value, standing, report);
        let mut parameter = json!({ "entry": entry(name, is_key_optional, &table) });
        if let Some(style) = value.style.as_ref().and_then(|style| list_style(style, report)) {
            parameter["style"] = style.into();
        }
        parameter
    });
    parameters.collect()
}

fn list_style<'a>(style: &'a Text, report: &mut Report) -> Option<&'a str> {
    const STYLES: [&str; 3] = ["comma", "repeat", "brackets"];
    let is_known = STYLES.contains(&style.value.as_str());
    if !is_known {
        let message = format!("unknown style of lists `{}`", style.value);
        report.unknown_word(style.place, message, &style.value, &STYLES);
    }
    is_known.then_some(&style.value)
}

fn headers(
    scope: &mut Scope<'_>,
    raw: &Entries<RawTemplate>,
    is_optional: bool,
    report: &mut Report,
) -> Value {
    each_once(raw.0.iter().map(|entry| &entry.key), report);
    let headers = raw.0.iter().map(|Entry { key, value }| {
        let (name, is_key_optional) = split_optional(&key.value);
        if header::name(name, key.place, report) && is_set_by_engine(name) {
            let help = if name.eq_ignore_ascii_case("content-type") {
                "give the body its media type: `body: { type: .., json: .. }`, or `text` or `bytes`"
            } else {
                "credentials belong to `auth` of the provider; remove the header"
            };
            let message = format!("the header `{name}` is set by the engine");
            report.push(Problem::error(key.place, message).help(help));
        }
        if let Kind::Text(text) = &value.0.kind {
            header::value(name, text, report);
        }
        let standing = Standing { is_optional: is_optional || is_key_optional, fits: Fits::Scalar };
        entry(name, is_key_optional, &template(scope, value, standing, report))
    });
    headers.collect()
}

/// Lowers the only body of a binding, and its media type if that is written beside it.
pub(super) fn body(
    scope: &mut Scope<'_>,
    raw: &RawRequest,
    method: Method<'_>,
    place: Place,
    report: &mut Report,
) -> Map<String, Value> {
    let typed = raw.body.as_ref();
    let (json, text) = match typed {
        Some(typed) => (typed.json.as_ref(), typed.text.as_ref()),
        None => (None, None),
    };
    let is_unclear = typed.is_some() && json.is_some() == text.is_some();
    if let Some(body) = typed.filter(|_| is_unclear) {
        let place = body.r#type.as_ref().map_or(place, |media_type| media_type.place);
        let problem = Problem::error(place, "it is not clear what the body contains");
        report.push(problem.expected("exactly one of `json` and `text` beside `type`"));
    }
    let any = Standing { is_optional: false, fits: Fits::Any };
    let scalar = Standing { is_optional: false, fits: Fits::Scalar };
    let json = raw.json.iter().chain(json);
    let json = json.map(|json| json!({ "json": template(scope, json, any, report) }));
    let mut bodies: Vec<Value> = json.collect();
    let text = raw.text.iter().chain(text);
    bodies.extend(text.map(|text| json!({ "text": template(scope, text, scalar, report) })));
    let others = [
        raw.form.as_ref().map(|form| json!({ "form": parameters(scope, form, false, report) })),
        raw.multipart.as_ref().map(|raw| json!({ "multipart": multipart(scope, raw, report) })),
        raw.bytes.as_ref().and_then(|raw| Some(json!({ "bytes": bytes(scope, raw, report)? }))),
    ];
    bodies.extend(others.into_iter().flatten());
    if bodies.len() > 1 && !is_unclear {
        report.push(
            Problem::error(place, "the request has more than one body")
                .expected("one of `json`, `form`, `multipart`, `text`, `bytes` and `body`"),
        );
    }
    if method.name == "get" && !bodies.is_empty() {
        report.push(
            Problem::error(method.path.place, "a GET has no body")
                .help("use `query`, or `post` if the API reads a body"),
        );
    }
    let mut table = Map::new();
    table.extend(bodies.pop().map(|body| ("body".to_owned(), body)));
    let media_type = typed.and_then(|typed| typed.r#type.as_ref());
    table.extend(media_type.map(|text| {
        check_body_type(text, report);
        ("media_type".to_owned(), text.value.as_str().into())
    }));
    table
}

/// Reports what is not a media type, which may have parameters.
fn check_body_type(text: &Text, report: &mut Report) {
    let (bare, parameters) = text.value.split_once(';').unwrap_or((&text.value, "x=y"));
    let is_visible = parameters.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    if !(is_media_type(bare.trim_end()) && is_visible && parameters.contains('=')) {
        let message = format!("`{}` is not a media type", text.value);
        report.push(
            Problem::error(text.place, message)
                .expected("a type and a subtype, such as application/merge-patch+json"),
        );
    }
}

fn multipart(scope: &mut Scope<'_>, raw: &Entries<RawTemplate>, report: &mut Report) -> Value {
    let parts = raw.0.iter().map(|Entry { key, value }| {
        let (name, is_optional) = split_optional(&key.value);
        let content = if let Kind::Mapping(members) = &value.0.kind {
            file(scope, &value.0, members, is_optional, report)
        } else {
            let standing = Standing { is_optional, fits: Fits::Any };
            json!({ "text": template(scope, value, standing, report) })
        };
        json!({ "name": name, "optional": is_optional, "content": content })
    });
    parts.collect()
}

/// Lowers a file of a form. Without a value, its media type is that of bytes.
fn file(
    scope: &mut Scope<'_>,
    node: &Node,
    members: &[(Text, Node)],
    is_optional: bool,
    report: &mut Report,
) -> Value {
    const KEYS: [&str; 3] = ["content", "file_name", "media_type"];
    let unknown = members.iter().find(|(key, _)| !KEYS.contains(&split_optional(&key.value).0));
    if let Some((key, _)) = unknown {
        let message = format!("unknown key `{}` in a file", key.value);
        report.unknown_word(key.place, message, split_optional(&key.value).0, &KEYS);
        return Value::Null;
    }
    let mut member = |name: &str| {
        let (key, node) = members.iter().find(|(key, _)| split_optional(&key.value).0 == name)?;
        let (_, is_key_optional) = split_optional(&key.value);
        if is_key_optional && name == "content" {
            let message = "a file is not sent without its `content`";
            report.push(Problem::error(key.place, message).help(
                "end the name of the file with `?` instead, which leaves out the whole file",
            ));
        }
        let is_optional = is_optional || is_key_optional || name == "media_type";
        let standing = Standing { is_optional, fits: Fits::Scalar };
        let value = template(scope, &RawTemplate(node.clone()), standing, report);
        Some((value, node.place, is_key_optional))
    };
    let (content, file_name, media_type) =
        (member("content"), member("file_name"), member("media_type"));
    let Some((content, place, _)) = content else {
        report.push(Problem::error(node.place, "a file needs `content`"));
        return Value::Null;
    };
    let Some(content) = content.get("value") else {
        report.push(
            Problem::error(place, "the content of a file is not a value of the call")
                .expected("`$parameter`, with the bytes as Base64"),
        );
        return Value::Null;
    };
    let mut table = json!({ "content": content });
    if let Some((file_name, _, is_key_optional)) = file_name {
        table["file_name"] = entry("file_name", is_key_optional, &file_name);
    }
    if let Some((media_type, place, _)) = media_type {
        check_media_type(&media_type, place, report);
        table["media_type"] = media_type;
    }
    json!({ "file": table })
}

fn bytes(scope: &mut Scope<'_>, raw: &RawBytes, report: &mut Report) -> Option<Value> {
    let (content, media_type) = (raw.content.as_ref()?, raw.media_type.as_ref()?);
    let standing = Standing { is_optional: false, fits: Fits::Scalar };
    let Some(reference) = content.value.strip_prefix('$') else {
        report.push(
            Problem::error(content.place, "the bytes are not a value of the call")
                .expected("`$parameter`, with the bytes as Base64"),
        );
        return None;
    };
    let content = value(scope, reference, content.place, standing, report)?;
    let place = media_type.0.place;
    let media_type = template(scope, media_type, standing, report);
    check_media_type(&media_type, place, report);
    Some(json!({ "content": content, "media_type": media_type }))
}

/// Reports a media type in the manifest that `toolwrit-bindings` does not send.
fn check_media_type(template: &Value, place: Place, report: &mut Report) {
    // Null is reported already.
    let literal = template.get("literal").filter(|literal| !literal.is_null());
    if literal.is_some_and(|literal| !literal.as_str().is_some_and(is_media_type)) {
        report.push(
            Problem::error(place, "the engine does not send this media type")
                .expected("a type and a subtype without parameters, such as image/png"),
        );
    }
}

/// Whether a text is a type and a subtype without parameters.
fn is_media_type(text: &str) -> bool {
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c))
    };
    text.split_once('/').is_some_and(|(ty, subtype)| is_token(ty) && is_token(subtype))
}
