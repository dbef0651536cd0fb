//! Wikilinks in the values of the frontmatter. They may be anywhere in a text.

use toolwrit_frontmatter::{FrontmatterBlock, PropertyText, Quoting, Span, texts};

use super::link::{Link, LinkKind, Notation};
use super::wikilink;

/// The links of a frontmatter block; empty if it is not valid YAML.
pub(super) fn find_links(text: &str, block: FrontmatterBlock) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    if block.yaml.slice(text).contains("[[") {
        for PropertyText { span, quoting } in texts(text, block) {
            let notation = match quoting {
                Quoting::None => Notation::Plain,
                Quoting::Single => Notation::SingleQuoted,
                Quoting::Double => Notation::DoubleQuoted,
            };
            find_scalar_links(text, span, notation, &mut links);
        }
    }
    links.sort_by_key(|link| link.span);
    links.dedup_by_key(|link| link.span);
    links
}

fn find_scalar_links<'a>(text: &'a str, span: Span, notation: Notation, links: &mut Vec<Link<'a>>) {
    let mut at = span.start;
    while let Some(open) = Span::new(at, span.end).slice(text).find("[[") {
        let start = at + open + 2;
        let Some(length) = Span::new(start, span.end).slice(text).find("]]") else { return };
        let inside = Span::new(start, start + length);
        let inner = inside.slice(text).rfind("[[").map_or(0, |again| again + 2);
        let inside = Span::new(start + inner, inside.end);
        let on_one_line = !inside.slice(text).contains('\n');
        let link = wikilink::parse(text, inside, LinkKind::Property, notation);
        links.extend(link.filter(|_| on_one_line));
        at = inside.end + 2;
    }
}
