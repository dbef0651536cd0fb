//! The beginning of a text of HTML.

/// Returns the text between tags with single spaces; at most so many characters, the last of which is `…` if there is
/// more.
pub(super) fn take_text<'h>(pieces: impl Iterator<Item = &'h str>, most: usize) -> String {
    let mut text = String::new();
    let (mut length, mut in_tag, mut after_space) = (0, false, true);
    for c in pieces.flat_map(str::chars) {
        let c = match (in_tag, c) {
            (true, '>') => {
                in_tag = false;
                continue;
            }
            (true, _) => continue,
            (false, '<') => {
                in_tag = true;
                continue;
            }
            (false, c) if c.is_whitespace() => ' ',
            (false, c) => c,
        };
        if c == ' ' && after_space {
            continue;
        }
        after_space = c == ' ';
        if length == most {
            text.pop();
            text.push('…');
            return text;
        }
        text.push(c);
        length += 1;
    }
    text.truncate(text.trim_end().len());
    text
}
