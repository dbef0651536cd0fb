//! Writes conversations of older plugins in the current format.

use super::document::{Document, Part, UserText};
use super::header::{Header, Kind, State, Status};
use super::id::BlockId;
use super::inert::Inert;
use super::older::{OlderNames, Role, Section};
use super::run_block::call_block;
use super::write;

/// A note in the current format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The text of the note.
    pub text: String,
    /// The number of places that were changed.
    pub changes: usize,
}

/// Converts a note: answers after lines such as `#assistant` become blocks, `#newChat` becomes `> [!new-chat]`, and
/// `#mcp:SERVER:TOOL` and `@tool:TOOL` at the ends of lines become blocks that call the tool. Everything else keeps its bytes.
pub fn convert(text: &str, names: &OlderNames, mut id: impl FnMut() -> BlockId) -> Converted {
    let document = Document::parse(text);
    let mut out = Converted { text: String::with_capacity(text.len()), changes: 0 };
    for part in document.parts() {
        match part {
            Part::Text(user) => convert_text(&document, user, names, &mut id, &mut out),
            part => out.text.push_str(&text[part.range()]),
        }
    }
    out
}

fn convert_text(
    document: &Document<'_>,
    user: &UserText,
    names: &OlderNames,
    id: &mut impl FnMut() -> BlockId,
    out: &mut Converted,
) {
    for section in names.sections(document, user) {
        let body = document.text().get(section.body.clone()).unwrap_or_default();
        let Section { role, mark, .. } = section;
        if !mark.is_empty() {
            out.changes += 1;
        }
        match role {
            // The plugin asked the model where a note ends with its name.
            Role::Assistant if body.trim().is_empty() => {}
            Role::Assistant => {
                let header =
                    Header::new(Kind::Assistant, id(), "older", State::new(Status::Said, "answer"));
                push_block(
                    &mut out.text,
                    &write::write_words(&header, &Inert::default().words(body.trim())),
                );
            }
            Role::NewChat => {
                push_block(&mut out.text, "> [!new-chat]");
                convert_calls(user, section.body.start, body, out);
            }
            // Instructions are the first thing that the user says.
            Role::System | Role::User => convert_calls(user, section.body.start, body, out),
        }
    }
}

fn push_block(out: &mut String, block: &str) {
    let blank = out.is_empty() || out.ends_with("\n\n");
    out.push_str(if blank {
        ""
    } else if out.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    });
    out.push_str(block);
    out.push_str("\n\n");
}

/// Copies a text, and turns `#mcp:SERVER:TOOL {JSON}` and `@tool:TOOL {JSON}` at the ends of lines into blocks.
fn convert_calls(user: &UserText, start: usize, body: &str, out: &mut Converted) {
    for line in super::lines::lines(body) {
        let in_code = user.fences.iter().any(|fence| fence.range.contains(&(start + line.start)));
        match find_call(line.text).filter(|_| !in_code) {
            Some((before, block)) => {
                out.changes += 1;
                if !before.trim().is_empty() {
                    out.text.push_str(before.trim_end());
                    out.text.push_str("\n\n");
                }
                out.text.push_str(&block);
                out.text.push('\n');
            }
            None => out.text.push_str(&body[line.start..line.next]),
        }
    }
}

/// The call at the end of a line as a block, and what stands before it.
fn find_call(line: &str) -> Option<(&str, String)> {
    let starts = line.match_indices(['#', '@']).map(|(at, _)| line.split_at(at));
    let mut apart =
        starts.filter(|(before, _)| before.chars().next_back().is_none_or(char::is_whitespace));
    apart.find_map(|(before, call)| Some((before, convert_call(call)?)))
}

fn convert_call(call: &str) -> Option<String> {
    let (tool, arguments) = call.split_once([' ', '\t']).unwrap_or((call, ""));
    let tool = match tool.strip_prefix("#mcp:") {
        Some(tool) => tool.split_once(':').map(|(server, tool)| format!("{server}.{tool}"))?,
        None => tool.strip_prefix("@tool:")?.replace(':', "."),
    };
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
    };
    if !tool.split('.').all(is_name) {
        return None;
    }
    let arguments = match arguments.trim() {
        "" => serde_json::Map::new(),
        arguments => serde_json::from_str(arguments).ok()?,
    };
    Some(call_block(&tool, &arguments))
}
