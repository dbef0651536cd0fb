//! Quoted scalars of YAML 1.2.2.

use std::fmt::Write as _;

/// Whether YAML shows a character as it is on one line: no line break, and printable (section 5.1).
pub fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Returns a text in double quotes, with escapes for what would not be shown as it is (section 7.3.1).
pub fn double_quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_printable(c) => quoted.push(c),
            // All of them are below U+10000. Writing to a string never fails.
            c => drop(write!(quoted, "\\u{:04X}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::double_quote;

    #[test]
    fn only_what_is_not_shown_is_escaped() {
        assert_eq!(double_quote("a\"b\\ä\n\t😀"), r#""a\"b\\ä\n\t😀""#);
        assert_eq!(double_quote("\u{7}\u{2028}\u{feff}"), r#""\u0007\u2028\uFEFF""#);
    }
}
