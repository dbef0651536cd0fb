//! Functions without a value before them.

use std::sync::Arc;

use super::files::file_at;
use super::{LazyArguments, Method, method};
use crate::bases::evaluation::conversion::{date, file_path, text, type_name};
use crate::bases::syntax::duration;
use crate::evaluation::{Evaluated, Failure};
use crate::value::{ExternalLink, Link, TextKind, Value};

pub(super) const FUNCTIONS: &[Method<()>] = &[
    method(
        "if",
        2,
        3,
        |(), args| if args.value(0)?.is_truthy() { args.value(1) } else { args.value(2) },
    ),
    method("date", 1, 1, |(), args| match args.value(0)? {
        value @ (Value::Date(_) | Value::Null) => Ok(value),
        value => {
            let text = text(&value);
            let date = date(&text, args.context.now).map(Value::date);
            let reason =
                || format!("`{text}` is not a date such as `2025-12-31` or `2025-12-31 09:00:00`");
            date.ok_or_else(|| Failure::row(reason()))
        }
    }),
    method("duration", 1, 1, |(), args| match args.value(0)? {
        value @ (Value::Duration(_) | Value::Null) => Ok(value),
        value => {
            let text = text(&value);
            let reason = || format!("`{text}` is not a duration such as `1d` or `2 weeks`");
            duration(&text).map(Value::duration).ok_or_else(|| Failure::row(reason()))
        }
    }),
    method("now", 0, 0, |(), args| Ok(Value::date(args.context.now.clone()))),
    method("today", 0, 0, |(), args| {
        args.context
            .now
            .start_of_day()
            .map(Value::date)
            .map_err(|error| Failure::row(error.to_string()))
    }),
    method("number", 1, 1, |(), args| number(&args.value(0)?)),
    method("random", 0, 0, |(), args| Ok(random(args).into())),
    method("min", 1, usize::MAX, |(), args| extreme(args, f64::min)),
    method("max", 1, usize::MAX, |(), args| extreme(args, f64::max)),
    method("list", 1, 1, |(), args| match args.value(0)? {
        list @ Value::List(_) => Ok(list),
        other => args.context.list(vec![other]),
    }),
    method("link", 1, 2, |(), args| link(args)),
    method("file", 1, 1, |(), args| {
        let value = args.value(0)?;
        Ok(file_at(&value, args).map_or(Value::Null, |path| args.context.file(&path)))
    }),
    method("escapeHTML", 1, 1, |(), args| {
        let text = args.text(0)?;
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        args.context.text(text.replace('"', "&quot;").replace('\'', "&#39;"))
    }),
    method("html", 1, 1, |(), args| typed(TextKind::Html, args)),
    method("icon", 1, 1, |(), args| typed(TextKind::Icon, args)),
    method("image", 1, 1, |(), args| typed(TextKind::Image, args)),
];

fn number(value: &Value) -> Evaluated {
    Ok(match value {
        Value::Number(_) | Value::Null => value.clone(),
        Value::Boolean(value) => f64::from(u8::from(*value)).into(),
        #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
        Value::Date(date) => (date.timestamp().as_millisecond() as f64).into(),
        Value::Text(text) | Value::Typed(_, text) => {
            let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            let number = number.ok_or_else(|| Failure::row(format!("`{text}` is not a number")))?;
            number.into()
        }
        other => {
            return Err(Failure::row(format!("`number` does not apply to {}", type_name(other))));
        }
    })
}

/// The least or greatest of all numbers; values that are missing do not count.
fn extreme(arguments: &LazyArguments<'_>, better: fn(f64, f64) -> f64) -> Evaluated {
    let mut found: Option<f64> = None;
    for index in 0..arguments.count() {
        if let Some(number) = arguments.number(index)? {
            found = Some(found.map_or(number, |known| better(known, number)));
        }
    }
    Ok(found.map_or(Value::Null, Value::Number))
}

/// A number between 0 and 1 that stays the same for a file and a moment.
fn random(arguments: &LazyArguments<'_>) -> f64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    arguments.file.path().as_str().hash(&mut hasher);
    arguments.context.now.timestamp().hash(&mut hasher);
    let bits = u32::try_from(hasher.finish() >> 32).unwrap_or_default();
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}

/// A text that stands for something else; null for null.
fn typed(kind: TextKind, arguments: &LazyArguments<'_>) -> Evaluated {
    Ok(match arguments.value(0)? {
        Value::Null => Value::Null,
        value => Value::Typed(kind, text(&value).into()),
    })
}

/// Whether a text starts with the scheme of an address, such as `https:` or `mailto:`. Names of files have no colon.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(is_part)
        && rest.starts_with(|c: char| !c.is_whitespace())
}

/// A link to a file or an address.
fn link(arguments: &LazyArguments<'_>) -> Evaluated {
    let target = arguments.value(0)?;
    let display: Option<Arc<str>> =
        if arguments.count() > 1 { Some(arguments.text(1)?) } else { None };
    let shown = |link: Link| match &display {
        Some(display) => link.with_display(display.clone()),
        None => link,
    };
    Ok(match &target {
        Value::Null => Value::Null,
        Value::Link(link) => Value::link(shown((**link).clone())),
        Value::ExternalLink(link) => Value::ExternalLink(Arc::new(ExternalLink {
            url: link.url.clone(),
            display: display.unwrap_or_else(|| link.display.clone()),
        })),
        Value::Text(text) if has_scheme(text) => Value::ExternalLink(Arc::new(ExternalLink {
            url: text.clone(),
            display: display.unwrap_or_else(|| text.clone()),
        })),
        other => {
            if let Some(path) = file_path(other) {
                return Ok(Value::link(shown(Link::file(path.clone()))));
            }
            let text = text(other);
            let inside = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
            let link = shown(Link::inner(inside.unwrap_or(&text)));
            arguments.context.resolve_link(link, arguments.file)
        }
    })
}
