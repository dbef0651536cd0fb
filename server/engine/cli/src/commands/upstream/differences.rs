//! How a tool differs from the approved one: which words of its texts, and which parts of its schemas.

use serde_json::{Map, Value};

use super::lines::{Lines, json, way};

/// Writes what differs between the approved tool and the one now.
pub(super) fn differences(
    lines: &mut Lines,
    before: &Map<String, Value>,
    now: &Map<String, Value>,
) {
    fields(lines, "", before, now);
}

fn fields(lines: &mut Lines, pointer: &str, before: &Map<String, Value>, now: &Map<String, Value>) {
    let added = now.keys().filter(|key| !before.contains_key(*key));
    for key in before.keys().chain(added) {
        let pointer = format!("{}/{}", way(pointer), escaped(key));
        difference(lines, &pointer, before.get(key), now.get(key));
    }
}

fn difference(lines: &mut Lines, pointer: &str, before: Option<&Value>, now: Option<&Value>) {
    match (before, now) {
        (before, now) if before == now => {}
        (Some(Value::Object(before)), Some(Value::Object(now))) => {
            fields(lines, pointer, before, now);
        }
        (Some(Value::Array(before)), Some(Value::Array(now))) if before.len() == now.len() => {
            for (at, (before, now)) in before.iter().zip(now).enumerate() {
                difference(lines, &format!("{}/{at}", way(pointer)), Some(before), Some(now));
            }
        }
        (Some(Value::String(before)), Some(Value::String(now)))
            if [before, now].iter().any(|text| text.contains(char::is_whitespace)) =>
        {
            lines.say(1, pointer);
            words(lines, before, now);
        }
        (before, now) => {
            lines.say(1, pointer);
            let shown = |value: Option<&Value>| value.map_or_else(|| "(none)".to_owned(), json);
            lines.say(2, &format!("- {}", shown(before)));
            lines.say(2, &format!("+ {}", shown(now)));
        }
    }
}

/// Writes both texts as wholes: the words with which both begin and end once, and what is between them in each.
fn words(lines: &mut Lines, before: &str, now: &str) {
    fn split(text: &str) -> Vec<&str> {
        text.split_inclusive(char::is_whitespace).collect()
    }
    let (before, now) = (split(before), split(now));
    let first = before.iter().zip(&now).take_while(|(before, now)| before == now).count();
    let (begin, now) = now.split_at(first);
    let before = &before[first..];
    let last = before.iter().rev().zip(now.iter().rev()).take_while(|(a, b)| a == b).count();
    let (removed, _) = before.split_at(before.len() - last);
    let (added, end) = now.split_at(now.len() - last);
    for (mark, words) in [("| ", begin), ("- ", removed), ("+ ", added), ("| ", end)] {
        if !words.is_empty() {
            let text = words.concat();
            lines.marked(2, mark, text.strip_suffix('\n').unwrap_or(&text));
        }
    }
}

/// A key in a JSON pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
