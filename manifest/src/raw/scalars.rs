//! Scalars with their own syntax: durations, sizes, effects.

use std::num::{NonZeroU16, NonZeroU32};
use std::time::Duration;

use serde_json::Number;

use super::read::{FromNode, Located, quoted, wrong_kind};
use crate::diagnostics::{Place, Report};
use crate::model::{Begins, Builtin, Effect, IntegerFormat, TaskSupport};
use crate::yaml::{Kind, Node, Text};

/// A duration, such as `500ms`, `30s`, `2m` or `1h`; not zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Period(pub(crate) Duration);

/// A number of bytes, such as `4096`, `256KiB` or `1MiB`; at least one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteSize(pub(crate) u64);

/// How many calls a session may make, at least 1; `None` for no limit, written -1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionCallLimit(pub(crate) Option<NonZeroU32>);

/// How often to retry, 1 to 5. With more, callers would wait too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retries(pub(crate) u8);

/// A weight; finite and greater than 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weight(pub(crate) f64);

/// A confidence that can be reached: greater than 0, at most 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threshold(pub(crate) f64);

impl Retries {
    pub(crate) const MOST: u8 = 5;
}

/// A scalar that is one of the above or a plain JSON scalar.
trait Scalar: Sized {
    const EXPECTED: &str;
    fn parse(kind: &Kind) -> Option<Self>;
}

macro_rules! scalar {
    ($($type:ty, $expected:literal, $parse:expr;)*) => {$(
        impl Scalar for $type {
            const EXPECTED: &str = $expected;

            fn parse(kind: &Kind) -> Option<Self> {
                let parse: fn(&Kind) -> Option<Self> = $parse;
                parse(kind)
            }
        }

        impl FromNode for Located<$type> {
            fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
                let value = <$type as Scalar>::parse(&node.kind);
                if value.is_none() {
                    let unquoted = node.without_quotes();
                    let fits = |kind: Kind| <$type as Scalar>::parse(&kind).is_some();
                    if unquoted.is_some_and(fits) {
                        quoted(node, <$type as Scalar>::EXPECTED, report);
                    } else {
                        wrong_kind(node, owner, <$type as Scalar>::EXPECTED, report);
                    }
                }
                Some(Self { value: value?, place: node.place })
            }
        }
    )*};
}

scalar! {
    bool, "true or false", |kind| match kind {
        Kind::Boolean(value) => Some(*value),
        _ => None,
    };
    Number, "a number", |kind| match kind {
        Kind::Number(value) => Some(value.clone()),
        _ => None,
    };
    u64, "a whole number of at least 0", |kind| match kind {
        Kind::Number(value) => value.as_u64(),
        _ => None,
    };
    NonZeroU32, "a whole number of at least 1", |kind| match kind {
        Kind::Number(value) => NonZeroU32::new(value.as_u64()?.try_into().ok()?),
        _ => None,
    };
    NonZeroU16, "a whole number from 1 to 65535", |kind| match kind {
        Kind::Number(value) => NonZeroU16::new(value.as_u64()?.try_into().ok()?),
        _ => None,
    };
    SessionCallLimit, "a whole number of at least 1, or -1 for no limit", |kind| match kind {
        Kind::Number(value) if value.as_i64() == Some(-1) => Some(SessionCallLimit(None)),
        Kind::Number(value) => {
            let most = NonZeroU32::new(value.as_u64()?.try_into().ok()?)?;
            Some(SessionCallLimit(Some(most)))
        }
        _ => None,
    };
    Period, "a duration such as 500ms, 30s, 2m or 1h", |kind| match kind {
        Kind::Text(text) => period(&text.value),
        _ => None,
    };
    Retries, "a whole number from 1 to 5", |kind| match kind {
        Kind::Number(value) => {
            let times = u8::try_from(value.as_u64()?).ok()?;
            (1..=Retries::MOST).contains(&times).then_some(Retries(times))
        }
        _ => None,
    };
    Weight, "a number greater than 0", |kind| match kind {
        Kind::Number(value) => value.as_f64().filter(|v| v.is_finite() && *v > 0.0).map(Weight),
        _ => None,
    };
    Threshold, "a number greater than 0 and at most 1", |kind| match kind {
        Kind::Number(value) => value.as_f64().filter(|v| *v > 0.0 && *v <= 1.0).map(Threshold),
        _ => None,
    };
    ByteSize, "a size such as 4096, 256KiB or 1MiB", |kind| match kind {
        Kind::Number(value) => value.as_u64().filter(|value| *value > 0).map(ByteSize),
        Kind::Text(text) => byte_size(&text.value),
        _ => None,
    };
}

/// One of several keywords.
macro_rules! choices {
    ($($type:ty, $what:literal;)*) => {$(
        impl FromNode for Located<$type> {
            fn from_node(node: &Node, owner: Place, report: &mut Report) -> Option<Self> {
                let text = Text::from_node(node, owner, report)?;
                let words = <$type>::ALL.map(<$type>::as_str);
                let Some(at) = words.iter().position(|word| *word == text.value) else {
                    let message = format!("unknown {} `{}`", $what, text.value);
                    report.unknown_word(text.place, message, &text.value, &words);
                    return None;
                };
                Some(Self { value: <$type>::ALL[at], place: node.place })
            }
        }
    )*};
}

choices! {
    Builtin, "operation of the engine";
    Effect, "effect";
    TaskSupport, "task support";
    Begins, "beginning of a task";
    IntegerFormat, "format of an integer";
}

/// A decimal number and the unit after it.
fn with_unit(text: &str) -> Option<(u64, &str)> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    Some((text[..digits].parse().ok().filter(|number| *number > 0)?, &text[digits..]))
}

fn period(text: &str) -> Option<Period> {
    let (number, unit) = with_unit(text)?;
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    Some(Period(Duration::from_millis(number.checked_mul(factor)?)))
}

fn byte_size(text: &str) -> Option<ByteSize> {
    let (number, unit) = with_unit(text)?;
    let factor = match unit {
        "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    Some(ByteSize(number.checked_mul(factor)?))
}
