//! Functions that make values, and those that apply to values of any type.

use std::sync::Arc;

use super::arguments::Arguments;
use super::tables::{Function, Type, first_argument_variant, function, null_variant, variant};
use crate::evaluation::context::{Context, Evaluated, Failure};
use crate::evaluation::index::index;
use crate::evaluation::limits::text_within_limit;
use crate::number;
use crate::value::{ExternalLink, Link, Map, Paths as _, Value, plain_text};
use Type::{Any, Boolean, List, Null, Number, Object, Rest, Text};

const LINK: Type = Type::Link;

pub(super) const FUNCTIONS: &[Function] = &[
    function("list", &[variant(&[Rest], |args| Ok(Value::list(args.values())))], &[]),
    function("array", &[variant(&[Rest], |args| Ok(Value::list(args.values())))], &[]),
    function("object", &[variant(&[Rest], object)], &[]),
    function(
        "number",
        &[
            first_argument_variant(&[Number]),
            variant(&[Text], |args| {
                Ok(number::find_first(args.text(0)).map_or(Value::Null, Value::Number))
            }),
            null_variant(&[Null]),
        ],
        &[(1, &[0])],
    ),
    function("string", &[variant(&[Any], |args| text_argument(args, 0))], &[]),
    function(
        "link",
        &[
            variant(&[Text], |args| Ok(Value::link(link(args)))),
            first_argument_variant(&[LINK]),
            null_variant(&[Null]),
            variant(&[Text, Text], |args| {
                Ok(Value::link(link(args).with_display(args.shared_text(1))))
            }),
            variant(&[Text, Text, Boolean], |args| {
                let link = link(args).with_display(args.shared_text(1));
                Ok(Value::link(link.with_embed(args.boolean(2))))
            }),
            variant(&[LINK, Text], |args| {
                Ok(change_link(args, |link| link.with_display(args.shared_text(1))))
            }),
            null_variant(&[Null, Any]),
            variant(&[Text, Null], |args| Ok(Value::link(link(args)))),
            first_argument_variant(&[LINK, Null]),
        ],
        &[(1, &[0]), (2, &[0, 1])],
    ),
    function(
        "embed",
        &[
            variant(&[LINK], |args| Ok(change_link(args, |link| link.with_embed(true)))),
            variant(&[LINK, Boolean], |args| {
                Ok(change_link(args, |link| link.with_embed(args.boolean(1))))
            }),
            null_variant(&[Null]),
            null_variant(&[Null, Any]),
            null_variant(&[Any, Null]),
        ],
        &[(1, &[0]), (2, &[0, 1])],
    ),
    function(
        "elink",
        &[
            variant(&[Text, Text], |args| Ok(external_link(args, 1))),
            variant(&[Text, Null], |args| Ok(external_link(args, 0))),
            null_variant(&[Null, Any]),
            variant(&[Text], |args| Ok(external_link(args, 0))),
            null_variant(&[Null]),
        ],
        &[(1, &[0]), (2, &[0])],
    ),
    function("typeof", &[variant(&[Any], |args| Ok(Value::text(args.type_name(0))))], &[]),
    function("extract", &[variant(&[Rest], extract)], &[]),
    function("meta", &[variant(&[LINK], |args| Ok(meta(args)))], &[]),
    function("default", &[variant(&[Any, Any], |args| Ok(or_default(args)))], &[(2, &[0, 1])]),
    function("ldefault", &[variant(&[Any, Any], |args| Ok(or_default(args)))], &[]),
    function(
        "choice",
        &[variant(&[Any, Any, Any], |args| Ok(args.value(if args.boolean(0) { 1 } else { 2 })))],
        &[(3, &[0])],
    ),
    function(
        "display",
        &[variant(&[Any], |args| Ok(Value::text(display(&args.value(0), args.context))))],
        &[],
    ),
    function(
        "length",
        &[
            variant(&[List], |args| Ok(count_value(args.list(0).len()))),
            variant(&[Object], |args| match args.value(0) {
                Value::Object(object) => Ok(count_value(object.names().len())),
                _ => Ok(Value::Null),
            }),
            variant(&[Text], |args| Ok(count_value(args.text(0).encode_utf16().count()))),
            variant(&[Null], |_| Ok(Value::Number(0.0))),
        ],
        &[],
    ),
];

/// A number of things.
pub(super) fn count_value(count: usize) -> Value {
    Value::Number(u32::try_from(count).map_or(f64::MAX, f64::from))
}

fn or_default(arguments: &Arguments<'_>) -> Value {
    let value = arguments.value(0);
    if value.is_null() { arguments.value(1) } else { value }
}

pub(super) fn text_argument(arguments: &Arguments<'_>, position: usize) -> Evaluated {
    text_within_limit(plain_text(&arguments.value(position), arguments.context.rendering))
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
    Link::file(arguments.context.normalize(&arguments.shared_text(0)))
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
    extract_fields(&object, &names, arguments.context)
}

fn extract_fields(object: &Value, names: &[Value], context: &Context<'_>) -> Evaluated {
    if let Value::List(values) = object {
        let extracted = values.iter().map(|value| extract_fields(value, names, context));
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
        Value::Text(text) => super::texts::strip_markdown(text),
        Value::List(values) => {
            values.iter().map(|value| display(value, context)).collect::<Vec<_>>().join(", ")
        }
        Value::Link(link) => match &link.display {
            Some(display) if !display.is_empty() => super::texts::strip_markdown(display),
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
