//! Methods of text.

use super::{LazyArguments, Method, method};
use crate::bases::evaluation::conversion::{as_text, text as value_text};
use crate::evaluation::{Evaluated, check_length, expand};
use crate::value::Value;

pub(super) const METHODS: &[Method<str>] = &[
    method("contains", 1, 1, |text, args| Ok(text.contains(&*args.text(0)?).into())),
    method("containsAll", 1, usize::MAX, |text, args| {
        let mut all = true;
        for index in 0..args.count() {
            all = all && text.contains(&*args.text(index)?);
        }
        Ok(all.into())
    }),
    method("containsAny", 1, usize::MAX, |text, args| {
        let mut any = false;
        for index in 0..args.count() {
            any = any || text.contains(&*args.text(index)?);
        }
        Ok(any.into())
    }),
    method("startsWith", 1, 1, |text, args| Ok(text.starts_with(&*args.text(0)?).into())),
    method("endsWith", 1, 1, |text, args| Ok(text.ends_with(&*args.text(0)?).into())),
    method("lower", 0, 0, |text, args| args.context.text(text.to_lowercase())),
    method("upper", 0, 0, |text, args| args.context.text(text.to_uppercase())),
    method("title", 0, 0, |text, args| args.context.text(title(text))),
    method("trim", 0, 0, |text, args| args.context.text(text.trim().to_owned())),
    method("reverse", 0, 0, |text, args| args.context.text(text.chars().rev().collect())),
    method("slice", 1, 2, |text, args| {
        let range = args.range(text.chars().count())?;
        args.context.text(text.chars().skip(range.start).take(range.len()).collect())
    }),
    method("repeat", 1, 1, |text, args| {
        let count = args.size(0, usize::MAX)?.unwrap_or(0);
        check_length(text.len().saturating_mul(count))?;
        args.context.text(text.repeat(count))
    }),
    method("replace", 2, 2, replace),
    method("split", 1, 2, split),
];

/// A text with the first letter of each word in upper case.
fn title(text: &str) -> String {
    let mut at_start = true;
    let mut titled = String::with_capacity(text.len());
    for c in text.chars() {
        if at_start {
            titled.extend(c.to_uppercase());
        } else {
            titled.push(c);
        }
        at_start = c.is_whitespace();
    }
    titled
}

fn replace(text: &str, arguments: &LazyArguments<'_>) -> Evaluated {
    let (pattern, replacement) = (arguments.value(0)?, arguments.text(1)?);
    let Value::Regexp(regexp) = pattern else {
        let pattern = as_text(&pattern).unwrap_or_else(|| value_text(&pattern).into());
        let count =
            if pattern.is_empty() { text.len() + 1 } else { text.matches(&*pattern).count() };
        check_length(text.len().saturating_add(count.saturating_mul(replacement.len())))?;
        return arguments.context.text(text.replace(&*pattern, &replacement));
    };
    let most = if regexp.is_global { usize::MAX } else { 1 };
    let mut replaced = String::new();
    let mut end = 0;
    for found in regexp.regex.captures_iter(text).take(most) {
        let whole = found.get_match();
        replaced.push_str(&text[end..whole.start()]);
        expand(&replacement, &found, &mut replaced);
        check_length(replaced.len())?;
        end = whole.end();
    }
    replaced.push_str(&text[end..]);
    arguments.context.text(replaced)
}

fn split(text: &str, arguments: &LazyArguments<'_>) -> Evaluated {
    let most = arguments.size(1, usize::MAX)?.unwrap_or(usize::MAX);
    let parts: Vec<Value> = match arguments.value(0)? {
        Value::Regexp(regexp) => regexp.regex.split(text).take(most).map(Value::text).collect(),
        separator => match &*value_text(&separator) {
            "" => text.chars().take(most).map(|c| Value::text(c.to_string())).collect(),
            separator => text.split(separator).take(most).map(Value::text).collect(),
        },
    };
    arguments.context.list(parts)
}
