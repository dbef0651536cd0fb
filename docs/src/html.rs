//! Writes the content of a page as HTML. Templates escape every text.

use maud::{Markup, PreEscaped, html};

use crate::address::relative_link;
use crate::chart;
use crate::document::{Block, Card, Inline, Line, Row, Tab, Table, TableKind, Term, plain_text};
use crate::prose;

pub(crate) fn blocks(page: &str, blocks: &[Block]) -> Markup {
    html! { @for item in blocks { (block(page, item)) } }
}

/// A section of a page that its list of contents links to.
pub(crate) struct SectionLink {
    pub(crate) anchor: String,
    pub(crate) title: String,
}

/// The sections of a page.
pub(crate) fn section_links(blocks: &[Block]) -> Vec<SectionLink> {
    let mut links = Vec::new();
    for block in blocks {
        match block {
            Block::Heading { level: 2, anchor, words } => {
                links.push(SectionLink { anchor: anchor.clone(), title: plain_text(words) });
            }
            Block::Prose { text, .. } => {
                let sections =
                    prose::sections(text).into_iter().filter(|section| section.level == 2);
                links.extend(
                    sections.map(|section| SectionLink {
                        anchor: section.anchor,
                        title: section.title,
                    }),
                );
            }
            _ => {}
        }
    }
    links
}

fn block(page: &str, block: &Block) -> Markup {
    match block {
        Block::Heading { level, anchor, words } => html! {
            @if *level == 2 { h2 id=(anchor) { (line(page, words)) } }
            @else { h3 id=(anchor) { (line(page, words)) } }
        },
        Block::Paragraph(words) => html! { p { (line(page, words)) } },
        Block::Warning(words) => html! { p.warning role="note" { (line(page, words)) } },
        Block::List(items) => html! { ul { @for item in items { li { (line(page, item)) } } } },
        Block::Code { language: "console", text } => html! {
            pre.terminal { code.language-console { (terminal_lines(text)) } }
        },
        Block::Code { language, text } => html! {
            pre { code class={ "language-" (language) } { (text.trim_end_matches('\n')) } }
        },
        Block::Table(content) => table(page, content),
        Block::Terms(list) => terms(page, list),
        Block::Tabs(list) => tabs(page, list),
        Block::Folded { title, blocks: hidden } => html! {
            details { summary { (title) } (blocks(page, hidden)) }
        },
        Block::Prose { folder, text } => PreEscaped(prose::to_html(page, folder, text)),
        Block::Chart(bars) => chart::draw(bars),
        Block::Cards(list) => cards(page, list),
    }
}

/// Commands, and what they print.
fn terminal_lines(text: &str) -> Markup {
    html! {
        @for (at, line) in text.trim_end_matches('\n').lines().enumerate() {
            @if at > 0 { "\n" }
            @if line.starts_with("$ ") { span.command { (line) } } @else { (line) }
        }
    }
}

fn terms(page: &str, terms: &[Term]) -> Markup {
    html! {
        dl.terms {
            @for term in terms {
                div id=[term.anchor.as_deref()] {
                    dt { (line(page, &term.name)) }
                    dd { (blocks(page, &term.meaning)) }
                }
            }
        }
    }
}

/// Without scripts the forms stand one below the other, each with its name.
fn tabs(page: &str, tabs: &[Tab]) -> Markup {
    html! {
        div.tabs {
            @for tab in tabs {
                section.tab data-name=(tab.name) { h3 { (tab.name) } (blocks(page, &tab.blocks)) }
            }
        }
    }
}

fn cards(page: &str, cards: &[Card]) -> Markup {
    html! {
        ul.cards {
            @for card in cards {
                li {
                    a href=(relative_link(page, &card.to, "html")) { (card.title) }
                    p { (card.words) }
                }
            }
        }
    }
}

fn table(page: &str, content: &Table) -> Markup {
    let class = match content.kind {
        TableKind::Matrix { .. } => Some("matrix"),
        TableKind::Plain | TableKind::Numbers { .. } => None,
    };
    html! {
        div.scroll {
            table class=[class] {
                caption { (content.caption) }
                thead { tr { @for (at, words) in content.head.iter().enumerate() { (head(page, content.kind, at, words)) } } }
                tbody { @for row in &content.rows { (table_row(page, content.kind, row)) } }
            }
        }
    }
}

fn head(page: &str, kind: TableKind, at: usize, words: &Line) -> Markup {
    let group = match kind {
        TableKind::Matrix { focus_modes } if at > 0 => {
            Some(if at <= focus_modes { "focus" } else { "role" })
        }
        _ => None,
    };
    html! {
        th scope="col" class=[is_number(kind, at).then_some("number")] data-group=[group] { (line(page, words)) }
    }
}

fn is_number(kind: TableKind, at: usize) -> bool {
    matches!(kind, TableKind::Numbers { words } if at >= words)
}

fn table_row(page: &str, kind: TableKind, row: &Row) -> Markup {
    let is_matrix = matches!(kind, TableKind::Matrix { .. });
    html! {
        tr id=[row.anchor.as_deref()] {
            @for (at, cell) in row.cells.iter().enumerate() {
                @if is_matrix && at == 0 {
                    th scope="row" { (line(page, cell)) }
                } @else if is_matrix {
                    td class=(plain_text(cell)) { (line(page, cell)) }
                } @else {
                    td class=[is_number(kind, at).then_some("number")] { (line(page, cell)) }
                }
            }
        }
    }
}

fn line(page: &str, line: &[Inline]) -> Markup {
    html! { @for piece in line { (inline(page, piece)) } }
}

fn inline(page: &str, piece: &Inline) -> Markup {
    match piece {
        Inline::Text(words) => html! { (words) },
        Inline::Code(words) => html! { code { (words) } },
        Inline::Badge { kind, words } => html! { span class={ "badge " (kind) } { (words) } },
        Inline::Link { to, words } => html! {
            a href=(relative_link(page, to, "html")) { (inline(page, words)) }
        },
    }
}
