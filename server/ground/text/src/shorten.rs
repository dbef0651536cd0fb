//! Shorter texts, which end in `…` where something is left out. Limits are in characters.

use crate::visible::escaped;

/// Returns the start of a text, at most so many characters and `…`.
pub fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the start of a text on one line: each run of white space is a space.
pub fn line(text: &str, most: usize) -> String {
    start(&text.split_whitespace().collect::<Vec<_>>().join(" "), most)
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
        assert_eq!(line(" a\n\t b  c ", 3), "a b…");
        assert_eq!(visible_line("a\u{200b}\u{200b}", 2), "a\\u{200b}…");
    }
}
