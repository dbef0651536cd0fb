//! Functions that make values, and those that apply to values of any type.

use std::sync::Arc;

use super::arguments::Arguments;
use super::tables::{Function, Type, function, null, on, same};
use crate::evaluation::context::{Context, Evaluated, Failure};
use crate::evaluation::index::index;
use crate::evaluation::limits::limited_text;
use crate::number;
use crate::value::{ExternalLink, Link, Map, Paths as _, Value, plain_text};
use Type::{Any, Boolean, List, Null, Number, Object, Rest, Text};

const LINK: Type = Type::Link;

pub(super) const FUNCTIONS: &[Function] = &[
    function("list", &[on(&[Rest], |it| Ok(Value::list(it.values())))], &[]),
    function("array", &[on(&[Rest], |it| Ok(Value::list(it.values())))], &[]),
    function("object", &[on(&[Rest], object)], &[]),
    function(
        "number",
        &[
            same(&[Number]),
            on(&[Text], |it| Ok(number::first(it.text(0)).map_or(Value::Null, Value::Number))),
            null(&[Null]),
        ],
        &[(1, &[0])],
    ),
    function("string", &[on(&[Any], |it| text_of(it, 0))], &[]),
    function(
        "link",
        &[
            on(&[Text], |it| Ok(Value::link(link(it)))),
            same(&[LINK]),
            null(&[Null]),
            on(&[Text, Text], |it| Ok(Value::link(link(it).with_display(it.shared_text(1))))),
            on(&[Text, Text, Boolean], |it| {
                let link = link(it).with_display(it.shared_text(1));
                Ok(Value::link(link.with_embed(it.boolean(2))))
            }),
            on(&[LINK, Text], |it| {
                Ok(change_link(it, |link| link.with_display(it.shared_text(1))))
            }),
            null(&[Null, Any]),
            on(&[Text, Null], |it| Ok(Value::link(link(it)))),
            same(&[LINK, Null]),
        ],
        &[(1, &[0]), (2, &[0, 1])],
    ),
    function(
        "embed",
        &[
            on(&[LINK], |it| Ok(change_link(it, |link| link.with_embed(true)))),
            on(&[LINK, Boolean], |it| Ok(change_link(it, |link| link.with_embed(it.boolean(1))))),
            null(&[Null]),
            null(&[Null, Any]),
            null(&[Any, Null]),
        ],
        &[(1, &[0]), (2, &[0, 1])],
    ),
    function(
        "elink",
        &[
            on(&[Text, Text], |it| Ok(external_link(it, 1))),
            on(&[Text, Null], |it| Ok(external_link(it, 0))),
            null(&[Null, Any]),
            on(&[Text], |it| Ok(external_link(it, 0))),
            null(&[Null]),
        ],
        &[(1, &[0]), (2, &[0])],
    ),
    function("typeof", &[on(&[Any], |it| Ok(Value::text(it.type_name(0))))], &[]),
    function("extract", &[on(&[Rest], extract)], &[]),
    function("meta", &[on(&[LINK], |it| Ok(meta(it)))], &[]),
    function("default", &[on(&[Any, Any], |it| Ok(or_default(it)))], &[(2, &[0, 1])]),
    function("ldefault", &[on(&[Any, Any], |it| Ok(or_default(it)))], &[]),
    function(
        "choice",
        &[on(&[Any, Any, Any], |it| Ok(it.value(if it.boolean(0) { 1 } else { 2 })))],
        &[(3, &[0])],
    ),
    function(
        "display",
        &[
            on(&[Null], |_| Ok(Value::text(""))),
            on(&[List], |it| Ok(Value::text(display(&it.value(0), it.context)))),
            on(&[Any], |it| Ok(Value::text(display(&it.value(0), it.context)))),
        ],
        &[],
    ),
    function(
        "length",
        &[
            on(&[List], |it| Ok(count(it.list(0).len()))),
            on(&[Object], |it| match it.value(0) {
                Value::Object(object) => Ok(count(object.names().len())),
                _ => Ok(Value::Null),
            }),
            on(&[Text], |it| Ok(count(it.text(0).encode_utf16().count()))),
            on(&[Null], |_| Ok(Value::Number(0.0))),
        ],
        &[],
    ),
];

/// A number of things.
pub(super) fn count(count: usize) -> Value {
    Value::Number(u32::try_from(count).map_or(f64::MAX, f64::from))
}

fn or_default(arguments: &Arguments<'_>) -> Value {
    let value = arguments.value(0);
    if value.is_null() { arguments.value(1) } else { value }
}

/// An argument as text.
pub(super) fn text_of(arguments: &Arguments<'_>, place: usize) -> Evaluated {
    limited_text(plain_text(&arguments.value(place), arguments.context.rendering))
}

fn object(arguments: &Arguments<'_>) -> Evaluated {
    let values: Vec<Value> = arguments.values().collect();
    if !values.len().is_multiple_of(2) {
        return Err(Failure::row("`object` takes pairs of a name and a value"));
    }
    let pair = |pair: &[Value]| match &pair[0] {
        Value::Text(name) => Ok((Arc::clone(name), pair[1].clone())),
        other => {
            let reason = format!("a name in `object` is a text, not {}", other.type_name());
            Err(Failure::row(reason))
        }
    };
    Ok(Value::map(values.chunks_exact(2).map(pair).collect::<Result<Map, _>>()?))
}

/// A link to the file that a text names.
fn link(arguments: &Arguments<'_>) -> Link {
    Link::file(arguments.context.normalized(&arguments.shared_text(0)))
}

fn change_link(arguments: &Arguments<'_>, change: impl Fn(&Link) -> Link) -> Value {
    match arguments.value(0) {
        Value::Link(link) => Value::link(change(&link)),
        other => other,
    }
}

fn external_link(arguments: &Arguments<'_>, display: usize) -> Value {
    let (url, display) = (arguments.shared_text(0), arguments.shared_text(display));
    Value::ExternalLink(Arc::new(ExternalLink { url, display }))
}

fn extract(arguments: &Arguments<'_>) -> Evaluated {
    let mut values = arguments.values();
    let Some(object) = values.next() else {
        return Err(Failure::row("`extract` takes an object and names"));
    };
    let names: Vec<Value> = values.collect();
    extracted(&object, &names, arguments.context)
}

fn extracted(object: &Value, names: &[Value], context: &Context<'_>) -> Evaluated {
    if let Value::List(values) = object {
        let extracted = values.iter().map(|value| extracted(value, names, context));
        return Ok(Value::List(extracted.collect::<Result<_, _>>()?));
    }
    let field = |name: &Value| match name {
        Value::Text(text) => Ok((Arc::clone(text), index(object, name, context)?)),
        _ => Err(Failure::row("the names in `extract` are texts")),
    };
    Ok(Value::map(names.iter().map(field).collect::<Result<Map, _>>()?))
}

fn meta(arguments: &Arguments<'_>) -> Value {
    let Value::Link(link) = arguments.value(0) else { return Value::Null };
    let or_null = |text: Option<&Arc<str>>| text.cloned().map_or(Value::Null, Value::Text);
    let fields = [
        ("display", or_null(link.display.as_ref())),
        ("embed", link.embed.into()),
        ("path", Value::Text(Arc::clone(&link.path))),
        ("subpath", or_null(link.subpath())),
        ("type", Value::text(link.kind())),
    ];
    Value::map(fields.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// What a reader sees of a value: text without Markdown, and the shown text of links.
fn display(value: &Value, context: &Context<'_>) -> String {
    match value {
        Value::Null => String::new(),
        Value::Text(text) => super::texts::without_markdown(text),
        Value::List(values) => {
            values.iter().map(|value| display(value, context)).collect::<Vec<_>>().join(", ")
        }
        Value::Link(link) => match &link.display {
            Some(display) if !display.is_empty() => super::texts::without_markdown(display),
            _ => {
                let text = link.to_string();
                let inner = text.rsplit_once('|').map_or("", |(_, shown)| shown);
                let embed = if link.embed { "!" } else { "" };
                format!("{embed}{}", inner.trim_end_matches(']'))
            }
        },
        other => plain_text(other, context.rendering),
    }
}
