//! Values that are written directly, and durations in text.

use winnow::stream::Location as _;

use crate::datetime::{Duration, Unit};
use crate::evaluation::{Pattern, compile};
use crate::number;
use crate::syntax::input::{Input, Parsed, backtrack, refuse, remaining_text, take};
use crate::value::Regexp;

/// The bytes of the name at the start of a text: a letter or `_`, then also digits.
pub(super) fn name_length(text: &str) -> usize {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    if !text.starts_with(starts) {
        return 0;
    }
    text.find(|c: char| !starts(c) && !c.is_numeric()).unwrap_or(text.len())
}

/// A number without a sign.
pub(super) fn number(input: &mut Input<'_>) -> Parsed<f64> {
    let text = remaining_text(input);
    let digits = text.starts_with(|c: char| c.is_ascii_digit());
    let Some(length) = number::prefix_length(text).filter(|_| digits) else { return backtrack() };
    take(input, length).parse().or_else(|_| backtrack())
}

/// Text in single or double quotes, with the escapes of JavaScript.
pub(super) fn text(input: &mut Input<'_>) -> Parsed<String> {
    let Some(quote) = remaining_text(input).chars().next().filter(|c| matches!(c, '"' | '\''))
    else {
        return backtrack();
    };
    let start = input.current_token_start();
    let mut characters = remaining_text(input)[1..].char_indices();
    let mut text = String::new();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, other)) => text.push(other),
                None => break,
            },
            c if c == quote => {
                take(input, 1 + at + 1);
                return Ok(text);
            }
            c => text.push(c),
        }
    }
    refuse(input, start, format!("the text that starts here has no closing `{quote}`"))
}

/// A regular expression with its flags.
pub(super) fn regexp(input: &mut Input<'_>) -> Parsed<Regexp> {
    let Some(inside) = remaining_text(input).strip_prefix('/') else { return backtrack() };
    let start = input.current_token_start();
    let Some(end) = pattern_length(inside) else {
        return refuse(
            input,
            start,
            "the regular expression that starts here has no closing `/`".to_owned(),
        );
    };
    let pattern = &inside[..end];
    let flags: String = inside[end + 1..].chars().take_while(char::is_ascii_alphabetic).collect();
    take(input, end + 2 + flags.len());
    let mut options = String::new();
    for flag in flags.chars() {
        match flag {
            'g' | 'u' => {}
            'i' | 'm' | 's' => options.push(flag),
            other => {
                let at = start + end + 2;
                return refuse(
                    input,
                    at,
                    format!("expected the flags g, i, m, s or u, found `{other}`"),
                );
            }
        }
    }
    let expression =
        if options.is_empty() { pattern.to_owned() } else { format!("(?{options}){pattern}") };
    match compile(Pattern::Anywhere, &expression) {
        Ok(regex) => {
            let written = format!("/{pattern}/{flags}").into();
            Ok(Regexp { regex, is_global: flags.contains('g'), written })
        }
        Err(reason) => refuse(input, start, reason),
    }
}

/// The bytes up to the `/` that ends a regular expression. In a class, `/` is a character.
fn pattern_length(text: &str) -> Option<usize> {
    let mut in_class = false;
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => drop(characters.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(at),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// A whole text as a duration: `1d`, `2 weeks`, `1h 30m`, or in ISO 8601. `M` is a month, `m` a minute.
pub(in crate::bases) fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (sign, unsigned) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    match unsigned.strip_prefix('P') {
        Some(iso) => iso_duration(iso).map(|duration| duration.multiply(sign)),
        None => duration_in_words(text),
    }
}

/// A duration in ISO 8601 after its `P`: `1Y2M3W4D`, `T36H`, `1DT2H30M5.5S`.
fn iso_duration(text: &str) -> Option<Duration> {
    let (days, time) = text.split_once('T').map_or((text, None), |(days, time)| (days, Some(time)));
    let dates = [('Y', Unit::Year), ('M', Unit::Month), ('W', Unit::Week), ('D', Unit::Day)];
    let times = [('H', Unit::Hour), ('M', Unit::Minute), ('S', Unit::Second)];
    let days = iso_parts(days, &dates)?;
    let time = time.map_or(Some(Vec::new()), |time| iso_parts(time, &times))?;
    let parts = days.into_iter().chain(time);
    parts.reduce(Duration::plus)
}

/// The parts of a duration, each with one of some units, in their order.
fn iso_parts(mut text: &str, units: &[(char, Unit)]) -> Option<Vec<Duration>> {
    let mut parts = Vec::new();
    let mut units = units.iter();
    while !text.is_empty() {
        let length = number::prefix_length(text)?;
        let amount = text[..length].parse().ok()?;
        let letter = text[length..].chars().next()?;
        let (_, unit) = units.find(|(known, _)| *known == letter)?;
        parts.push(Duration::new(amount, *unit));
        text = &text[length + 1..];
    }
    Some(parts)
}

fn duration_in_words(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = None;
    while !rest.is_empty() {
        let length = number::prefix_length(rest)?;
        let amount: f64 = rest[..length].parse().ok()?;
        rest = rest[length..].trim_start();
        let (unit, after) = rest.split_at(letters(rest));
        let part = Duration::new(amount, parse_unit(unit)?);
        sum = Some(sum.map_or(part, |sum: Duration| sum.plus(part)));
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    sum
}

fn letters(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_alphabetic).count()
}

fn parse_unit(name: &str) -> Option<Unit> {
    Some(match name {
        "y" | "year" | "years" => Unit::Year,
        "M" | "month" | "months" => Unit::Month,
        "w" | "week" | "weeks" => Unit::Week,
        "d" | "day" | "days" => Unit::Day,
        "h" | "hour" | "hours" => Unit::Hour,
        "m" | "minute" | "minutes" => Unit::Minute,
        "s" | "second" | "seconds" => Unit::Second,
        "ms" | "millisecond" | "milliseconds" => Unit::Millisecond,
        _ => return None,
    })
}
