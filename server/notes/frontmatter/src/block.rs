//! The position of a note's frontmatter.

use crate::span::Span;

/// The position of the frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrontmatterBlock {
    /// Both `---` lines, their line endings and everything between them.
    pub span: Span,
    /// The lines between them, including the last line ending.
    pub yaml: Span,
}

impl FrontmatterBlock {
    /// Finds the frontmatter of a note: from a first line of `---` to the next such line.
    pub fn find(text: &str) -> Option<Self> {
        let start = text.len() - text.trim_start_matches('\u{FEFF}').len();
        let mut lines = text[start..].split_inclusive('\n');
        let is_fence = |line: &str| line.trim_end() == "---";
        let first = lines.next().filter(|line| is_fence(line) && line.ends_with('\n'))?;
        let yaml_start = start + first.len();
        let mut end = yaml_start;
        for line in lines {
            if is_fence(line) {
                return Some(Self {
                    span: Span::new(start, end + line.len()),
                    yaml: Span::new(yaml_start, end),
                });
            }
            end += line.len();
        }
        None
    }

    /// Whether a text begins with properties behind a first `---`, but no second one ends them. The text then has none.
    pub fn is_unclosed(text: &str) -> bool {
        let mut lines = text.trim_start_matches('\u{FEFF}').lines();
        let begins = lines.next().is_some_and(|line| line.trim_end() == "---");
        let is_property = |line: &str| {
            let key = line
                .split_once(':')
                .filter(|(_, value)| value.is_empty() || value.starts_with(' '));
            key.is_some_and(|(key, _)| !key.is_empty() && !key.contains(char::is_whitespace))
        };
        begins && lines.next().is_some_and(is_property) && Self::find(text).is_none()
    }
}
