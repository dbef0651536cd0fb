//! Fences of code.

/// The beginning of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    mark: char,
    length: usize,
    /// The spaces before it.
    pub(crate) indent: usize,
    /// What follows the marks.
    pub(crate) info: &'a str,
}

impl<'a> Fence<'a> {
    /// Reads a line that opens a fence.
    pub(crate) fn parse_opening(line: &'a str) -> Option<Self> {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let info = inner.trim_start_matches(mark);
        let length = inner.len() - info.len();
        let valid = indent < 4 && length >= 3 && !(mark == '`' && info.contains('`'));
        valid.then(|| Self { mark, length, indent, info: info.trim() })
    }

    pub(crate) fn closes(&self, line: &str) -> bool {
        let inner = line.trim_start_matches(' ');
        let rest = inner.trim_start_matches(self.mark);
        line.len() - inner.len() < 4
            && inner.len() - rest.len() >= self.length
            && rest.trim_matches([' ', '\t']).is_empty()
    }
}

/// A fence around a text, longer than every run of backticks in it.
pub(crate) fn write_fence(info: &str, body: &str) -> String {
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest.max(2) + 1);
    let newline = if body.is_empty() { "" } else { "\n" };
    format!("{marks}{info}\n{body}{newline}{marks}")
}

/// The fences of a text, in order: their info, and what they contain. A fence that is not closed is not one of them.
pub(crate) fn fences(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut open: Option<(Fence<'_>, Vec<&str>)> = None;
    for line in text.split('\n') {
        open = match open {
            None => Fence::parse_opening(line).map(|fence| (fence, Vec::new())),
            Some((fence, body)) if fence.closes(line) => {
                found.push((fence.info, body.join("\n")));
                None
            }
            Some((fence, mut body)) => {
                body.push(line);
                Some((fence, body))
            }
        };
    }
    found
}
