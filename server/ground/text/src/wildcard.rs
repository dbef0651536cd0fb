//! Patterns in which `*` stands for any characters.

/// Whether a whole text matches a pattern, in which `*` stands for any characters, or none. No other character is special.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The end is taken from what the start leaves, so that the two do not overlap.
    let between = text.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    let Some(mut between) = between else { return false };
    for part in middle.split('*') {
        // The first place is the best one: it leaves the longest rest.
        let Some(at) = between.find(part) else { return false };
        between = &between[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text) in [
            ("", ""),
            ("issue_create", "issue_create"),
            ("*", ""),
            ("*", "anything"),
            ("**", ""),
            ("**", "x"),
            ("a*", "a"),
            ("a*", "abc"),
            ("*a", "a"),
            ("*a", "cba"),
            ("a*b*c", "abc"),
            ("a*b*c", "a--b--c"),
            ("a*b*c", "abcbc"),
            ("a*b*a", "abba"),
            ("ab*ba", "abba"),
            ("*aa", "aaa"),
            ("*sue*te", "issue_create"),
            ("é*ü", "é→ü"),
            ("a?[b]*", "a?[b]c"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn everything_else_stands_for_itself_once() {
        for (pattern, text) in [
            ("", "x"),
            ("x", ""),
            ("issue", "issue_create"),
            ("a*", "ba"),
            ("*a", "ab"),
            ("a*a", "a"),
            ("ab*ba", "aba"),
            ("a*b*b", "ab"),
            ("a*b*c", "a--c--b"),
            ("a*bc*c", "abc"),
            ("*x*", "abc"),
            ("issue_*", "my_issue_create"),
            ("a?c", "abc"),
            ("A*", "abc"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_long_pattern_does_not_take_long() {
        let text = "a".repeat(20_000);
        assert!(!matches(&format!("{}b*", "*a".repeat(200_000)), &text));
        assert!(!matches(&format!("{}*b", "*a".repeat(200_000)), &text));
    }
}
