//! The characters of names.

use std::sync::LazyLock;

use regex::Regex;

/// Letters, in any script.
static LETTER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{L}$").ok());

/// Characters that emoji consist of, except digits and the characters that join others.
static EMOJI: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$").ok()
});

fn matches(expression: &LazyLock<Option<Regex>>, c: char) -> bool {
    let is_match = |expression: &Regex| expression.is_match(c.encode_utf8(&mut [0; 4]));
    expression.as_ref().is_some_and(is_match)
}

pub(super) fn is_letter(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { matches(&LETTER, c) }
}

/// Whether a character is part of an emoji.
pub(super) fn is_emoji(c: char) -> bool {
    !c.is_ascii() && (matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{20e3}') || matches(&EMOJI, c))
}

/// Whether a name may start with a character.
pub(super) fn starts_name(c: char) -> bool {
    is_letter(c) || is_emoji(c)
}

/// Whether a name may continue with a character.
pub(super) fn continues_name(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '_' | '-') || starts_name(c)
}

/// A key in the form in which expressions can name it: in lower case, with `-` for white space, and without
/// other characters.
pub(super) fn canonical(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    let mut in_space = false;
    for c in key.chars() {
        if c.is_whitespace() {
            if !in_space {
                name.push('-');
            }
        } else if is_emoji(c) {
            name.push(c);
        } else if continues_name(c) {
            name.extend(c.to_lowercase());
        }
        in_space = c.is_whitespace();
    }
    name
}
