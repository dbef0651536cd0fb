//! Comments in the user's text: `%%..%%` and `<!--..-->`. Models do not read them.

use std::ops::Range;

/// The comments of a line, and the end mark of one that goes on in the next line.
pub(crate) struct Comments {
    /// Where they are in the line.
    pub(crate) ranges: Vec<Range<usize>>,
    pub(crate) open: Option<&'static str>,
}

/// Finds the comments of a line outside of code spans. Only a comment at the beginning of a line can be longer than the line.
pub(crate) fn find_comments(line: &str) -> Comments {
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(found) = line[at..].find(['`', '\\', '%', '<']) {
        let start = at + found;
        let rest = &line[start..];
        at = start + 1;
        if rest.starts_with('\\') {
            at += line[at..].chars().next().map_or(0, char::len_utf8);
        } else if rest.starts_with('`') {
            let marks = rest.len() - rest.trim_start_matches('`').len();
            at = start
                + super::code_span::find_closing_run(&rest[marks..], marks)
                    .map_or(marks, |end| marks + end);
        } else if let Some((mark, end)) =
            [("%%", "%%"), ("<!--", "-->")].into_iter().find(|(mark, _)| rest.starts_with(mark))
        {
            if let Some(length) = rest[mark.len()..].find(end) {
                at = start + mark.len() + length + end.len();
                ranges.push(start..at);
            } else if line[..start].trim().is_empty() {
                ranges.push(start..line.len());
                return Comments { ranges, open: Some(end) };
            }
        }
    }
    Comments { ranges, open: None }
}
