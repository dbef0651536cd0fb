//! How names with characters that nobody sees are shown. The backslash is escaped too, so that an escape cannot be a part
//! of a name.

use std::borrow::Cow;
use std::fmt::Write;

use toolwrit_text::hidden::hidden_characters;

/// The start of an escape, which ends with `}`.
const START: &str = "\\u{";

/// The characters of a name that nobody sees, with their places in bytes: controls, hidden characters, and what is ordinary
/// in text but hides in a name, such as a soft hyphen, or a joiner next to ASCII.
pub(super) fn unseen_characters(name: &str) -> impl Iterator<Item = (usize, char)> {
    let mut hidden = hidden_characters(name).peekable();
    let mut before = None;
    name.char_indices().filter(move |&(at, c)| {
        let is_hidden = hidden.next_if(|&(place, _)| place == at).is_some();
        let before = before.replace(c);
        let after = || name[at + c.len_utf8()..].chars().next();
        is_hidden
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{feff}')
            || (is_joiner(c) && !is_valid_joiner(before, after()))
    })
}

/// Zero-width joiner and non-joiner: part of emoji and of Persian or Indic words.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// A joiner is valid between two characters of such scripts, but not next to ASCII or at an end.
fn is_valid_joiner(before: Option<char>, after: Option<char>) -> bool {
    [before, after].iter().all(|side| side.is_some_and(|c| !c.is_ascii() && !is_joiner(c)))
}

/// Shows a name or a path: `\u{200B}` for what nobody sees, `\u{5C}` for a backslash.
pub(crate) fn escape(name: &str) -> Cow<'_, str> {
    let mut unseen = unseen_characters(name).peekable();
    if unseen.peek().is_none() && !name.contains('\\') {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 16);
    for (at, c) in name.char_indices() {
        if unseen.next_if(|&(place, _)| place == at).is_some() || c == '\\' {
            // Writing to a string does not fail.
            let _ = write!(shown, "{START}{:X}}}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Reads a name or a path as it is shown. A backslash that begins no escape stays.
pub(super) fn unescape(shown: &str) -> Cow<'_, str> {
    if !shown.contains(START) {
        return Cow::Borrowed(shown);
    }
    let mut name = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some(at) = rest.find(START) {
        let (before, escaped) = rest.split_at(at);
        name.push_str(before);
        let digits = escaped[START.len()..].split_once('}');
        let c = digits.and_then(|(digits, rest)| {
            let digits = Some(digits).filter(|digits| digits.len() <= 6)?;
            Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest))
        });
        if let Some((c, after)) = c {
            name.push(c);
            rest = after;
        } else {
            name.push_str(START);
            rest = &escaped[START.len()..];
        }
    }
    name.push_str(rest);
    Cow::Owned(name)
}
