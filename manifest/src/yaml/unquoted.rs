//! Finds text that YAML cannot read because it is not quoted, for the message about it.

use std::ops::Range;

/// The unquoted text that a parse failed at, as a range of characters of the line, and how to mend it. `at`
/// is the character that YAML did not expect.
pub(crate) fn find_at(line: &str, at: usize) -> Option<(Range<usize>, String)> {
    let characters: Vec<char> = line.chars().collect();
    let start = start(characters.get(..at)?);
    let text: String = characters[start..at].iter().collect();
    let is_word =
        text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == ']');
    match characters.get(at)? {
        '[' if is_word => {
            let list = "[]".repeat(lists(&characters[at..]));
            let end = at + list.len();
            Some((start..end, format!("quote it: `\"{text}{list}\"`; `[` begins a list in YAML")))
        }
        ':' if start == indent(&characters) => Some((
            start..at + 1,
            "if this is text, quote the whole text; if it is a key, align it with the keys above"
                .to_owned(),
        )),
        ':' => {
            Some((start..at + 1, format!("quote it: `\"{text}: ..\"`; `: ` ends a key in YAML")))
        }
        _ => None,
    }
}

/// How many `[]` the characters begin with.
fn lists(characters: &[char]) -> usize {
    characters.chunks(2).take_while(|pair| **pair == ['[', ']']).count()
}

fn indent(line: &[char]) -> usize {
    line.iter().take_while(|character| character.is_whitespace()).count()
}

/// Where the plain text begins that ends with these characters.
fn start(before: &[char]) -> usize {
    let begins = |at: usize| match before[at] {
        '{' | '[' | ',' => true,
        ':' | '-' => before.get(at + 1).is_some_and(|next| next.is_whitespace()),
        _ => false,
    };
    let begin = (0..before.len()).rev().find(|at| begins(*at)).map_or(0, |at| at + 1);
    begin + indent(&before[begin..])
}
