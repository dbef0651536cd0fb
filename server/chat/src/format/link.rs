//! Links and embeds in the user's text.

use super::code_span::text_outside_code;
use super::fence::Fence;

/// A link `[[TARGET]]`, or an embed `![[TARGET]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) target: String,
    pub(crate) embed: bool,
}

/// The links of a text, in order, outside of code.
pub(crate) fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut fence: Option<Fence<'_>> = None;
    for line in text.lines() {
        match &fence {
            Some(open) if open.closes(line) => fence = None,
            Some(_) => {}
            None => match Fence::parse_opening(line) {
                Some(open) => fence = Some(open),
                None => {
                    for text in text_outside_code(line) {
                        links_of(text, &mut found);
                    }
                }
            },
        }
    }
    found
}

fn links_of(mut text: &str, found: &mut Vec<Link>) {
    while let Some((before, rest)) = text.split_once("[[") {
        let Some((inner, after)) = rest.split_once("]]") else { return };
        let target = inner.split('|').next().unwrap_or_default().trim();
        if !target.is_empty() && !target.contains("[[") {
            found.push(Link { target: target.to_owned(), embed: before.ends_with('!') });
        }
        text = after;
    }
}
