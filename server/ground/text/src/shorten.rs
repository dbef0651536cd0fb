//! Shorter texts, which end in `…` where something is left out. Limits are in characters.

use crate::visible::escaped;

/// Characters of an unknown name that a message repeats.
const LONGEST_NAME: usize = 100;

/// Returns the start of a text, at most so many characters and `…`.
pub fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a text of at most so many characters, of which `…` may be the last.
pub fn within(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => start(text, most.saturating_sub(1)),
        None => text.to_owned(),
    }
}

/// Returns an unknown name in the length in which a message repeats it.
pub fn name(name: &str) -> String {
    start(name, LONGEST_NAME)
}

/// Returns the start of a text on one line: each run of white space is a space.
pub fn line(text: &str, most: usize) -> String {
    // A word has a character at least, so that no more words than this are needed.
    let words: Vec<&str> = text.split_whitespace().take(most + 1).collect();
    start(&words.join(" "), most)
}

/// Returns the start of a text of another program on one line, with its hidden characters escaped.
pub fn visible_line(text: &str, most: usize) -> String {
    escaped(line(text, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_marked() {
        assert_eq!(start("äöü", 3), "äöü");
        assert_eq!(start("äöü\n", 3), "äöü…");
        assert_eq!(within("äöü", 3), "äöü");
        assert_eq!(within("äöüß", 3), "äö…");
        assert_eq!(line(" a\n\t b  c ", 3), "a b…");
        assert_eq!(visible_line("a\u{200b}\u{200b}", 2), "a\\u{200b}…");
    }
}
