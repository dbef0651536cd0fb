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
}
