//! Regular expressions, by the crate regex: without look-around and references to groups.

use std::rc::Rc;
use std::time::Instant;

use regex::{Captures, RegexBuilder};

use super::convert::{Arguments, count_value};
use super::heap::RegexValue;
use super::ids::RegexId;
use super::value::Value;
use super::{Outcome, Position, Run};

/// How large a compiled expression may be, in bytes.
const SIZE_LIMIT: usize = 1 << 18;

impl Run<'_> {
    /// Compiles the literal `/pattern/flags`.
    pub(super) fn compile(
        &mut self,
        position: Position,
        pattern: &str,
        flags: &str,
    ) -> Outcome<Value> {
        self.budget.take_bytes(position, SIZE_LIMIT / 16)?;
        let mut builder = RegexBuilder::new(&translate(pattern));
        builder.size_limit(SIZE_LIMIT);
        let mut global = false;
        for flag in flags.chars() {
            match flag {
                'g' => global = true,
                'i' => drop(builder.case_insensitive(true)),
                'm' => drop(builder.multi_line(true)),
                's' => drop(builder.dot_matches_new_line(true)),
                'u' => {}
                other => {
                    return Self::unsupported_failure(
                        position,
                        format!("the flag `{other}` of a regular expression"),
                    );
                }
            }
        }
        match builder.build() {
            Ok(regex) => self.regex(position, RegexValue { regex, source: pattern.into(), global }),
            Err(_) => {
                Self::unsupported_failure(position, format!("the regular expression /{pattern}/"))
            }
        }
    }

    /// Searches, and counts how long it takes.
    pub(super) fn search_timed<T>(
        &mut self,
        position: Position,
        search: impl FnOnce() -> T,
    ) -> Outcome<T> {
        self.take_steps(position, 1)?;
        let begun = Instant::now();
        let found = search();
        self.budget.take_search_time(position, begun.elapsed())?;
        Ok(found)
    }

    pub(super) fn regex_method(
        &mut self,
        position: Position,
        id: RegexId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let text = arguments.next();
        let text = self.convert_to_text(position, &text)?.into_owned();
        self.take_steps(position, text.len() / 16)?;
        let RegexValue { regex, .. } = self.heap.regex(id).clone();
        match name {
            "test" => {
                let found = self.search_timed(position, || regex.is_match(&text))?;
                Ok(Some(Value::Boolean(found)))
            }
            "exec" => match self.search_timed(position, || regex.captures(&text))? {
                Some(found) => self.groups(position, &found).map(Some),
                None => Ok(Some(Value::Null)),
            },
            _ => Ok(None),
        }
    }

    /// `match`, `matchAll` and `search` of strings.
    pub(super) fn match_method(
        &mut self,
        position: Position,
        text: &str,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let pattern = arguments.next();
        let Value::Regex(id) = pattern else {
            return Self::unsupported_failure(
                position,
                format!("`{name}()` without a regular expression"),
            );
        };
        let RegexValue { regex, global, .. } = self.heap.regex(id).clone();
        match name {
            "search" => {
                let found = self.search_timed(position, || regex.find(text))?;
                let at = found.map(|found| text[..found.start()].encode_utf16().count());
                Ok(Some(at.map_or(Value::Number(-1.0), count_value)))
            }
            "match" if global => {
                let (mut matches, mut all) = (regex.find_iter(text), Vec::new());
                while let Some(found) = self.search_timed(position, || matches.next())? {
                    all.push(found.as_str());
                }
                if all.is_empty() {
                    Ok(Some(Value::Null))
                } else {
                    self.texts(position, all).map(Some)
                }
            }
            "match" => match self.search_timed(position, || regex.captures(text))? {
                Some(found) => self.groups(position, &found).map(Some),
                None => Ok(Some(Value::Null)),
            },
            _ => {
                let (mut matches, mut all) = (regex.captures_iter(text), Vec::new());
                while let Some(found) = self.search_timed(position, || matches.next())? {
                    all.push(self.groups(position, &found)?);
                }
                self.array(position, all).map(Some)
            }
        }
    }

    fn groups(&mut self, position: Position, found: &Captures<'_>) -> Outcome<Value> {
        let mut groups = Vec::new();
        for group in found.iter() {
            groups.push(match group {
                Some(group) => self.string(position, group.as_str())?,
                None => Value::Undefined,
            });
        }
        self.array(position, groups)
    }

    /// `replace` and `replaceAll` of strings.
    pub(super) fn replace_method(
        &mut self,
        position: Position,
        text: &Rc<str>,
        all: bool,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let (pattern, new) = (arguments.next(), arguments.next());
        let mut result = String::new();
        let mut end = 0;
        match &pattern {
            Value::Regex(id) => {
                let RegexValue { regex, global, .. } = self.heap.regex(*id).clone();
                let most = if global { usize::MAX } else { 1 };
                let mut matches = regex.captures_iter(text).take(most);
                while let Some(found) = self.search_timed(position, || matches.next())? {
                    let Some(whole) = found.get(0) else { continue };
                    self.push(position, &mut result, &text[end..whole.start()])?;
                    let groups: Vec<_> = found
                        .iter()
                        .map(|group| group.map_or("", |group| group.as_str()))
                        .collect();
                    self.replacement(position, &groups, &new, &mut result)?;
                    end = whole.end();
                }
            }
            other => {
                let old = self.convert_to_text(position, other)?;
                let most = if all { usize::MAX } else { 1 };
                for (start, old) in text.match_indices(&*old).take(most) {
                    self.push(position, &mut result, &text[end..start])?;
                    self.replacement(position, &[old], &new, &mut result)?;
                    end = start + old.len();
                }
            }
        }
        self.push(position, &mut result, &text[end..])?;
        self.add_built_string(position, result)
    }

    /// Adds what a match is replaced with: the result of a function, or a text with `$1` and `$&`.
    fn replacement(
        &mut self,
        position: Position,
        groups: &[&str],
        new: &Value,
        result: &mut String,
    ) -> Outcome<()> {
        self.take_steps(position, 1)?;
        if new.type_name() == "function" {
            let groups = groups.iter().map(|group| Value::text(*group)).collect();
            let new = self.apply(position, new, groups)?;
            let new = self.convert_to_text(position, &new)?;
            self.push(position, result, &new)
        } else {
            let new = self.convert_to_text(position, new)?;
            let mut rest = &*new;
            while let Some(at) = rest.find('$') {
                self.push(position, result, &rest[..at])?;
                let after = &rest[at + 1..];
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let number = after[..digits].parse::<usize>().ok();
                rest = if let Some(rest) = after.strip_prefix('$') {
                    self.push(position, result, "$")?;
                    rest
                } else if let Some(rest) = after.strip_prefix('&') {
                    self.push(position, result, groups[0])?;
                    rest
                } else if let Some(group) =
                    number.filter(|&index| index > 0).and_then(|index| groups.get(index))
                {
                    self.push(position, result, group)?;
                    &after[digits..]
                } else {
                    self.push(position, result, "$")?;
                    after
                };
            }
            self.push(position, result, rest)
        }
    }
}

/// A pattern of JavaScript as the crate regex writes it: `\d` and `\w` are ASCII, `\/` is a slash.
fn translate(pattern: &str) -> String {
    let mut result = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => result.push_str(if in_class { "0-9" } else { "[0-9]" }),
                Some('w') => result.push_str(if in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
                Some('D') if !in_class => result.push_str("[^0-9]"),
                Some('W') if !in_class => result.push_str("[^0-9A-Za-z_]"),
                Some(
                    escaped @ ('/' | '-' | '"' | '\'' | '`' | ' ' | '<' | '>' | '=' | '!' | ':'
                    | ',' | '%' | '@'),
                ) => {
                    // Only some of these may be escaped there; as characters they are all the same.
                    if matches!(escaped, '-') {
                        result.push('\\');
                    }
                    result.push(escaped);
                }
                Some(other) => result.extend(['\\', other]),
                None => result.push('\\'),
            },
            '[' if in_class => result.push_str("\\["),
            '[' => {
                in_class = true;
                result.push('[');
            }
            ']' => {
                in_class = false;
                result.push(']');
            }
            '&' | '~' if in_class => result.extend(['\\', c]),
            c => result.push(c),
        }
    }
    result
}
