//! Markdown that people wrote: pages of the guide, and cookbooks of a manifest. HTML in it is shown as text, and only
//! links that a browser may follow are links.

use std::collections::BTreeMap;

use pulldown_cmark::{
    Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};

use crate::address::{relative_link, resolve_link};
use crate::document::Block;

/// A heading and the text below it, up to the next heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Section {
    /// Empty for the text before the first heading.
    pub(crate) title: String,
    pub(crate) anchor: String,
    pub(crate) level: usize,
    pub(crate) words: String,
}

/// Whether the blocks begin with a heading of their own.
pub(crate) fn has_title(blocks: &[Block]) -> bool {
    matches!(blocks.first(), Some(Block::Prose { text, .. }) if text.starts_with("# "))
}

fn parse(text: &str) -> impl Iterator<Item = Event<'_>> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    TextMergeStream::new(Parser::new_ext(text, options))
}

/// The sections of a text, in order.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let (mut sections, mut anchors) = (vec![Section::default()], Anchors::default());
    let mut in_heading = false;
    for event in parse(text) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                in_heading = true;
                sections.push(Section { level: level as usize, ..Section::default() });
            }
            Event::End(TagEnd::Heading(_)) => {
                in_heading = false;
                if let Some(section) = sections.last_mut() {
                    section.anchor = anchors.next_anchor(&section.title);
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(section) = sections.last_mut() {
                    let place = if in_heading { &mut section.title } else { &mut section.words };
                    place.push_str(&words);
                    if !in_heading {
                        place.push(' ');
                    }
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(section) = sections.last_mut() {
                    section.words.push(' ');
                }
            }
            _ => {}
        }
    }
    sections
}

/// Anchors as the guide's links have them: the heading's words in lower case, with `-` between them.
#[derive(Default)]
struct Anchors(BTreeMap<String, usize>);

impl Anchors {
    fn next_anchor(&mut self, title: &str) -> String {
        let kept = title.chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || "-_".contains(c) => c.to_lowercase().next(),
            _ => None,
        });
        let anchor: String = kept.collect();
        let count = self.0.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    }
}

pub(crate) fn to_html(page: &str, folder: &str, text: &str) -> String {
    let mut anchors = sections(text).into_iter().skip(1).map(|section| section.anchor);
    let mut table = Columns::default();
    let mut is_head = false;
    let mut drawn = Vec::new();
    for event in parse(text) {
        let event = match event {
            Event::Html(raw) | Event::InlineHtml(raw) => {
                if is_comment(&raw) {
                    continue;
                }
                Event::Text(raw)
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let anchor = anchors.next().unwrap_or_default();
                Event::Start(heading_tag(level, anchor))
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = resolve_target(page, folder, &dest_url, "html").into();
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            // A picture would be loaded from elsewhere. Its text remains.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => continue,
            Event::Start(Tag::Table(alignments)) => {
                table = Columns { alignments, next: 0 };
                raw_html("<div class=\"scroll\"><table>")
            }
            Event::End(TagEnd::Table) => raw_html("</tbody></table></div>"),
            Event::Start(Tag::TableHead) => {
                is_head = true;
                table.next = 0;
                raw_html("<thead><tr>")
            }
            Event::End(TagEnd::TableHead) => {
                is_head = false;
                raw_html("</tr></thead><tbody>")
            }
            Event::Start(Tag::TableRow) => {
                table.next = 0;
                raw_html("<tr>")
            }
            Event::End(TagEnd::TableRow) => raw_html("</tr>"),
            Event::Start(Tag::TableCell) => raw_html(table.cell_tag(is_head)),
            Event::End(TagEnd::TableCell) => raw_html(if is_head { "</th>" } else { "</td>" }),
            other => other,
        };
        drawn.push(event);
    }
    let mut html = String::with_capacity(text.len() * 2);
    pulldown_cmark::html::push_html(&mut html, drawn.into_iter());
    html
}

fn raw_html(html: &'static str) -> Event<'static> {
    Event::Html(CowStr::Borrowed(html))
}

fn heading_tag(level: HeadingLevel, anchor: String) -> Tag<'static> {
    Tag::Heading { level, id: Some(anchor.into()), classes: Vec::new(), attrs: Vec::new() }
}

/// The alignment of the cells of a row. A class says it, because pages have no styles of their own.
#[derive(Default)]
struct Columns {
    alignments: Vec<Alignment>,
    next: usize,
}

impl Columns {
    fn cell_tag(&mut self, is_head: bool) -> &'static str {
        let alignment = self.alignments.get(self.next);
        self.next += 1;
        match (is_head, alignment == Some(&Alignment::Right)) {
            (true, true) => "<th scope=\"col\" class=\"number\">",
            (true, false) => "<th scope=\"col\">",
            (false, true) => "<td class=\"number\">",
            (false, false) => "<td>",
        }
    }
}

/// Comments of the guide say how a test runs the example below.
fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.is_empty() || html.starts_with("<!--") && html.ends_with("-->")
}

/// Where a link leads, with this extension for pages of the site; nothing for an address that no page may have.
fn resolve_target(page: &str, folder: &str, link: &str, extension: &str) -> String {
    if let Some((scheme, _)) = link.split_once(':') {
        let is_followed =
            ["http", "https", "mailto"].contains(&scheme.to_ascii_lowercase().as_str());
        return if is_followed { link.to_owned() } else { String::new() };
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let Some(file) = file.strip_suffix(".md") else { return format!("#{anchor}") };
    let mut to = resolve_link(folder, file);
    if !anchor.is_empty() {
        to.push('#');
        to.push_str(anchor);
    }
    relative_link(page, &to, extension)
}

/// The text as Markdown of a page: without the comments of the guide, and with links that start at the page.
pub(crate) fn to_markdown(page: &str, folder: &str, text: &str) -> String {
    let mut twin = String::with_capacity(text.len());
    let mut written = 0;
    for (event, place) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Html(markup) if is_comment(&markup) && place.start >= written => {
                twin.push_str(&text[written..place.start]);
                written = place.end;
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let end = format!("]({dest_url})");
                let Some(at) = text[place.clone()].rfind(&end) else { continue };
                if place.start + at < written {
                    continue;
                }
                twin.push_str(&text[written..place.start + at]);
                twin.push_str(&format!("]({})", resolve_target(page, folder, &dest_url, "md")));
                written = place.start + at + end.len();
            }
            _ => {}
        }
    }
    twin.push_str(&text[written..]);
    twin
}
