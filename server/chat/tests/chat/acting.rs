//! What acts in a note, as readers of Markdown see it: comrak, as CommonMark, GitHub and Obsidian have it.

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use toolwrit_chat::format::{BlockId, Header, Inert, Kind, State, Status, write};

/// The block of an answer.
pub(crate) fn block(answer: &str) -> String {
    let header =
        Header::new(Kind::Assistant, BlockId::from_number(1), "m", State::new(Status::Said, ""));
    write::write_words(&header, &Inert::default().words(answer))
}

/// The readers, from the plainest to one that reads what Obsidian reads.
pub(crate) fn readers() -> [Options<'static>; 3] {
    let mut plain = Options::default();
    plain.render.r#unsafe = true;
    let mut github = plain.clone();
    let extension = &mut github.extension;
    extension.strikethrough = true;
    extension.table = true;
    extension.autolink = true;
    extension.tasklist = true;
    extension.footnotes = true;
    extension.inline_footnotes = true;
    extension.alerts = true;
    let mut obsidian = github.clone();
    let extension = &mut obsidian.extension;
    extension.alerts = false;
    extension.ofm_callouts = true;
    extension.ofm_comments = true;
    extension.highlight = true;
    extension.math_dollars = true;
    extension.math_code = true;
    extension.wikilinks_title_after_pipe = true;
    extension.description_lists = true;
    extension.superscript = true;
    extension.subscript = true;
    [plain, github, obsidian]
}

/// What acts in a text, as a reader sees it.
fn acting(text: &str, reader: &Options<'_>) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, text, reader);
    let acts = root.descendants().filter_map(|node| match &node.data.borrow().value {
        NodeValue::Image(link) => Some(format!("image {}", link.url)),
        NodeValue::HtmlBlock(block) => Some(block.literal.clone()),
        NodeValue::HtmlInline(tag) if !is_harmless(tag) => Some(tag.clone()),
        NodeValue::Code(code) if is_query(&code.literal) => Some(format!("`{}`", code.literal)),
        NodeValue::CodeBlock(code) if code.fenced && is_executed(&code.info) => {
            Some(format!("``` {}", code.info))
        }
        NodeValue::CommentInline(_) | NodeValue::MultilineComment(_) => Some("comment".to_owned()),
        _ => None,
    });
    acts.collect()
}

/// The source without its code, as a reader sees it.
fn without_code(text: &str, reader: &Options<'_>) -> String {
    let arena = Arena::new();
    let root = parse_document(&arena, text, reader);
    let mut lines: Vec<Vec<u8>> = text.split('\n').map(|line| line.as_bytes().to_vec()).collect();
    for node in root.descendants() {
        let data = node.data.borrow();
        if !matches!(data.value, NodeValue::Code(_) | NodeValue::CodeBlock(_)) {
            continue;
        }
        let (start, end) = (data.sourcepos.start, data.sourcepos.end);
        for (number, line) in (1..).zip(&mut lines) {
            let from = if number == start.line { start.column.saturating_sub(1) } else { 0 };
            let to = if number == end.line { end.column } else { usize::MAX };
            if (start.line..=end.line).contains(&number) {
                line.iter_mut().take(to).skip(from).for_each(|byte| *byte = b'.');
            }
        }
    }
    lines.iter().map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect()
}

pub(crate) fn is_harmless(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']).to_ascii_lowercase();
    ["b", "br", "em", "i", "kbd", "mark", "s", "strong", "sub", "sup", "u"].contains(&name.as_str())
}

pub(crate) fn is_query(code: &str) -> bool {
    let code = code.trim();
    let names = [
        "= ", "=t", "=1", "$=", "dc=", "$dc=", "INPUT[", "VIEW[", "BUTTON[", "button-", "jsx:",
        "jsx-", "jsx=", "dice:",
    ];
    names.iter().any(|name| code.starts_with(name))
}

pub(crate) fn is_executed(info: &str) -> bool {
    let name = info.split([' ', '\t', '{', ',']).next().unwrap_or_default().to_ascii_lowercase();
    let executed =
        ["base", "dataview", "dataviewjs", "html", "latex", "md", "mermaid", "query", "sql", "tex"];
    let is_more = info.trim().contains([' ', '{']) && name != "text";
    is_more || executed.contains(&name.as_str())
}

/// Fails if anything acts in the block of an answer.
pub(crate) fn check(answer: &str) -> Result<(), String> {
    let block = block(answer);
    for (at, reader) in readers().iter().enumerate() {
        let acting = acting(&block, reader);
        if !acting.is_empty() {
            return Err(format!("{answer:?}\nreader {at} sees {acting:?} in\n{block}"));
        }
        // Embeds of Obsidian are text for all of these readers.
        let text = without_code(&block, reader);
        if text.contains("![") || text.contains("%%") {
            return Err(format!("{answer:?}\nreader {at} sees an embed or a comment in\n{block}"));
        }
        if block.contains("<%") {
            return Err(format!("{answer:?}\na template stays in\n{block}"));
        }
    }
    Ok(())
}
