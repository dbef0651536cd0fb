//! Texts of an API within failures.

/// Returns a text on one line, without characters that a reader does not see, and not longer than a number of
/// characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut words = text.split_whitespace().flat_map(|word| word.chars().chain([' ']));
    for c in words.by_ref().take(most) {
        if is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    let shown = shown.trim_end();
    if words.next().is_some() { format!("{shown}…") } else { shown.to_owned() }
}

/// Returns the end of a text, in the same way.
#[cfg(feature = "commands")]
pub(crate) fn shortened_to_end(text: &str, most: usize) -> String {
    let from = text.char_indices().rev().nth(most.saturating_sub(1)).map_or(0, |(at, _)| at);
    let end = shortened(&text[from..], most);
    if from > 0 { format!("…{end}") } else { end }
}

/// Characters that change how a text is read, and are not seen: controls, directions, joiners, tags, variations.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn texts_become_short_and_visible() {
        assert_eq!(shortened("  a\r\n b\t c ", 50), "a b c");
        assert_eq!(shortened("a\u{202e}b\u{e0041}\u{0}", 50), "a\\u{202e}b\\u{e0041}\\u{0}");
        assert_eq!(shortened(&"x".repeat(600), 500), format!("{}…", "x".repeat(500)));
        assert_eq!(shortened("añ日本", 50), "añ日本");
    }
}
