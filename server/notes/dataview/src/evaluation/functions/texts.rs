//! Functions of texts. Positions and lengths count UTF-16 units, as in JavaScript.

use std::sync::LazyLock;

use regex::Regex;

use super::arguments::Arguments;
use super::tables::{Function, Type, function, null_passing, variant};
use crate::evaluation::context::Evaluated;
use crate::evaluation::limits::{check_count, check_length, text_within_limit};
use crate::evaluation::pattern::{Pattern, expand};
use crate::value::Value;
use Type::{Any, Null, Number, Text};

const EACH_OF_TWO: &[(usize, &[usize])] = &[(2, &[0, 1])];
const EACH_OF_THREE: &[(usize, &[usize])] = &[(3, &[0, 1, 2])];
const EACH: &[(usize, &[usize])] = &[(2, &[0, 1]), (3, &[0, 1, 2])];

pub(super) const FUNCTIONS: &[Function] = &[
    null_passing(
        "containsword",
        &[variant(&[Text, Text], |args| {
            Ok(args
                .context
                .compile_pattern(Pattern::Word, args.text(1))?
                .is_match(args.text(0))
                .into())
        })],
        EACH_OF_TWO,
    ),
    function(
        "regextest",
        &[
            variant(&[Text, Text], |args| {
                Ok(args
                    .context
                    .compile_pattern(Pattern::Anywhere, args.text(0))?
                    .is_match(args.text(1))
                    .into())
            }),
            variant(&[Null, Any], |_| Ok(false.into())),
            variant(&[Any, Null], |_| Ok(false.into())),
        ],
        EACH_OF_TWO,
    ),
    function(
        "regexmatch",
        &[
            variant(&[Text, Text], matches_whole),
            variant(&[Null, Any], |_| Ok(false.into())),
            variant(&[Any, Null], |_| Ok(false.into())),
        ],
        EACH_OF_TWO,
    ),
    null_passing("regexreplace", &[variant(&[Text, Text, Text], replace_pattern)], EACH_OF_THREE),
    null_passing(
        "lower",
        &[variant(&[Text], |args| Ok(Value::text(args.text(0).to_lowercase())))],
        &[(1, &[0])],
    ),
    null_passing(
        "upper",
        &[variant(&[Text], |args| Ok(Value::text(args.text(0).to_uppercase())))],
        &[(1, &[0])],
    ),
    null_passing("replace", &[variant(&[Text, Text, Text], replace)], EACH_OF_THREE),
    null_passing(
        "split",
        &[
            variant(&[Text, Text], |args| split(args, f64::INFINITY)),
            variant(&[Text, Text, Number], |args| split(args, args.number(2))),
        ],
        &[],
    ),
    null_passing(
        "startswith",
        &[variant(&[Text, Text], |args| Ok(args.text(0).starts_with(args.text(1)).into()))],
        EACH_OF_TWO,
    ),
    null_passing(
        "endswith",
        &[variant(&[Text, Text], |args| Ok(args.text(0).ends_with(args.text(1)).into()))],
        EACH_OF_TWO,
    ),
    null_passing(
        "padleft",
        &[
            variant(&[Text, Number], |args| pad(args, " ", Side::Left)),
            variant(&[Text, Number, Text], |args| pad(args, args.text(2), Side::Left)),
        ],
        EACH,
    ),
    null_passing(
        "padright",
        &[
            variant(&[Text, Number], |args| pad(args, " ", Side::Right)),
            variant(&[Text, Number, Text], |args| pad(args, args.text(2), Side::Right)),
        ],
        EACH,
    ),
    null_passing(
        "substring",
        &[
            variant(&[Text, Number], |args| {
                Ok(Value::text(substring(args.text(0), args.number(1), f64::INFINITY)))
            }),
            variant(&[Text, Number, Number], |args| {
                Ok(Value::text(substring(args.text(0), args.number(1), args.number(2))))
            }),
        ],
        EACH,
    ),
    null_passing(
        "truncate",
        &[
            variant(&[Text, Number, Text], |args| Ok(truncate(args, args.text(2)))),
            variant(&[Text, Number], |args| Ok(truncate(args, "..."))),
        ],
        EACH,
    ),
];

/// Whether a pattern matches a whole text, unless the pattern says where it starts or ends.
fn matches_whole(arguments: &Arguments<'_>) -> Evaluated {
    let pattern = arguments.text(0);
    let is_anchored = pattern.starts_with('^') || pattern.ends_with('$');
    let pattern = if is_anchored { pattern.to_owned() } else { format!("^{pattern}$") };
    Ok(arguments
        .context
        .compile_pattern(Pattern::Anywhere, &pattern)?
        .is_match(arguments.text(1))
        .into())
}

fn replace_pattern(arguments: &Arguments<'_>) -> Evaluated {
    let pattern = arguments.context.compile_pattern(Pattern::Anywhere, arguments.text(1))?;
    let (text, replacement) = (arguments.text(0), arguments.text(2));
    let mut replaced = String::new();
    let mut end = 0;
    for found in pattern.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        replaced.push_str(&text[end..whole.start()]);
        expand(replacement, &found, &mut replaced);
        end = whole.end();
        check_length(replaced.len())?;
        arguments.context.budget.step()?;
    }
    replaced.push_str(&text[end..]);
    text_within_limit(replaced)
}

fn replace(arguments: &Arguments<'_>) -> Evaluated {
    let (text, sought, replacement) = (arguments.text(0), arguments.text(1), arguments.text(2));
    if sought.is_empty() {
        // Between all characters, as JavaScript splits at an empty text.
        let mut units = text.chars().map(String::from);
        let joined = units.next().into_iter().chain(units.map(|c| format!("{replacement}{c}")));
        return text_within_limit(joined.collect());
    }
    let count = text.matches(sought).count();
    check_length(text.len() + count.saturating_mul(replacement.len()))?;
    Ok(Value::text(text.replace(sought, replacement)))
}

/// The parts of a text between the matches of a pattern, and what its groups found.
fn split(arguments: &Arguments<'_>, limit: f64) -> Evaluated {
    let (text, separator) = (arguments.text(0), arguments.text(1));
    let pattern = arguments.context.compile_pattern(Pattern::Anywhere, separator)?;
    let mut parts: Vec<Value> = Vec::new();
    let mut end = 0;
    for found in pattern.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        // An empty match neither at the start nor at the end of the text.
        if whole.is_empty() && (whole.start() == end || whole.start() == text.len()) {
            continue;
        }
        parts.push(Value::text(&text[end..whole.start()]));
        let groups = found.iter().skip(1);
        parts.extend(groups.map(|group| Value::text(group.map_or("", |group| group.as_str()))));
        end = whole.end();
        check_count(parts.len())?;
    }
    parts.push(Value::text(&text[end..]));
    if limit < 0.0 {
        return Ok(Value::list(parts));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    parts.truncate(limit as usize);
    Ok(Value::list(parts))
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// A text with padding up to a length.
fn pad(arguments: &Arguments<'_>, padding: &str, side: Side) -> Evaluated {
    let text = arguments.text(0);
    let length = text.encode_utf16().count();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let missing = (arguments.number(1) as usize).saturating_sub(length);
    if missing == 0 || padding.is_empty() {
        return Ok(Value::text(text));
    }
    check_length(missing)?;
    let units: Vec<u16> = padding.encode_utf16().cycle().take(missing).collect();
    let padding = String::from_utf16_lossy(&units);
    text_within_limit(match side {
        Side::Left => padding + text,
        Side::Right => format!("{text}{padding}"),
    })
}

/// The part of a text between two positions, which may be in any order.
fn substring(text: &str, start: f64, end: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let (start, end) = (start as usize, end as usize);
    let (start, end) = (start.min(end), start.max(end));
    if text.is_ascii() {
        return text[start.min(text.len())..end.min(text.len())].to_owned();
    }
    let units: Vec<u16> = text.encode_utf16().skip(start).take(end - start).collect();
    String::from_utf16_lossy(&units)
}

/// A text cut to a length that includes a suffix.
fn truncate(arguments: &Arguments<'_>, suffix: &str) -> Value {
    let text = arguments.text(0);
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let room = arguments.number(1) - f64::from(units(suffix));
    if f64::from(units(text)) > room {
        return Value::text(substring(text, 0.0, room.max(0.0)) + suffix);
    }
    Value::text(text)
}

/// Markdown that is left out where text is displayed, and what stays of it.
static MARKDOWN: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let expressions = [
        (r"\[\[([^|\]]*?)\]\]", "$1"),
        (r"\[\[.*?\|(.*?)\]\]", "$1"),
        (r"(?m)^(\s*)(?:>|#{1,6}|[-*+]|[0-9]+\.)\s+", "$1"),
        (r"!\[(.*?)\][\[(].*?[\])]", "$1"),
        (r"\[([^\]]*?)\][\[(].*?[\])]", "$1"),
        (r"<[^>]*>", ""),
        (r"(\*\*|__)(\S.*?\S|\S)(\*\*|__)", "$2"),
        (r"(\*|_)(\S.*?\S|\S)(\*|_)", "$2"),
        (r"~~(.*?)~~", "$1"),
        (r"`(.+?)`", "$1"),
    ];
    let compiled = expressions.into_iter();
    compiled
        .filter_map(|(pattern, replacement)| Some((Regex::new(pattern).ok()?, replacement)))
        .collect()
});

/// A text without Markdown.
pub(super) fn strip_markdown(text: &str) -> String {
    let mut text = text.to_owned();
    for (expression, replacement) in &*MARKDOWN {
        if expression.is_match(&text) {
            text = expression.replace_all(&text, *replacement).into_owned();
        }
    }
    text
}
