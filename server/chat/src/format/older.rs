//! Conversations that older plugins wrote: lines such as `#user` and `#assistant : Hello` say who speaks.

use std::ops::Range;

use super::document::{Document, UserText};
use super::lines::lines_from;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// Instructions to the model.
    System,
    /// Nobody: the conversation starts over.
    NewChat,
}

/// The names with which older plugins began what somebody says. A name, in any case, stands alone on its line, or before a
/// colon and text. A name that ends with a colon means nothing without one.
#[derive(Debug, Clone, Default)]
pub struct OlderNames {
    /// Lines after which the user speaks.
    pub user: Vec<String>,
    /// Lines after which the model speaks.
    pub assistant: Vec<String>,
    /// Lines after which instructions stand.
    pub system: Vec<String>,
    /// Lines after which the conversation starts over.
    pub new_chat: Vec<String>,
}

impl OlderNames {
    /// The lines that are known of older plugins. In a note that nobody has said to be of one, they mean nothing: `#system` is
    /// a tag, and whoever wrote the note may not speak as somebody else.
    #[must_use]
    pub fn known_plugins() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            user: names(&["#user", "role::user"]),
            assistant: names(&["#assistant", "role::assistant"])
                .into_iter()
                .chain(MODELS.iter().map(|model| format!("#{model}:")))
                .collect(),
            system: names(&["#system", "role::system"]),
            new_chat: names(&["#newChat", "#new-chat"]),
        }
    }
}

/// Models by whose name the plugin TARS calls the assistant: `#Claude : Hello`.
const MODELS: [&str; 22] = [
    "azure",
    "chatgpt",
    "claude",
    "deepseek",
    "doubao",
    "gemini",
    "gpt",
    "grok",
    "groq",
    "kimi",
    "llama",
    "lmstudio",
    "mistral",
    "moonshot",
    "ollama",
    "openai",
    "openrouter",
    "qianfan",
    "qwen",
    "siliconflow",
    "zhipu",
    "glm",
];

/// A section of the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) role: Role,
    /// What names the role, up to what is said; empty if there is none.
    pub(crate) mark: Range<usize>,
    pub(crate) body: Range<usize>,
}

impl OlderNames {
    /// The role that a line names, and where in the line begins what is said.
    fn parse_role(&self, line: &str) -> Option<(Role, usize)> {
        let named = |names: &[String]| names.iter().find_map(|name| find_speech(line, name));
        [
            (&self.user, Role::User),
            (&self.assistant, Role::Assistant),
            (&self.system, Role::System),
            (&self.new_chat, Role::NewChat),
        ]
        .into_iter()
        .find_map(|(names, role)| named(names).map(|begins| (role, begins)))
    }

    /// The sections of a text. Text before the first line that names a role is the user's.
    pub(crate) fn sections(&self, document: &Document<'_>, text: &UserText) -> Vec<Section> {
        let mut found = vec![Section {
            role: Role::User,
            mark: text.range.start..text.range.start,
            body: text.range.clone(),
        }];
        let part = document.text().get(..text.range.end).unwrap_or_default();
        // A part begins after a block, within the line end of its last line.
        for line in lines_from(part, text.range.start) {
            let in_code = text.fences.iter().any(|fence| fence.range.contains(&line.start));
            let Some((role, begins)) = self.parse_role(line.text).filter(|_| !in_code) else {
                continue;
            };
            let begins = if begins == line.text.len() { line.next } else { line.start + begins };
            if let Some(last) = found.last_mut() {
                last.body.end = line.start;
            }
            found.push(Section { role, mark: line.start..begins, body: begins..text.range.end });
        }
        found
    }
}

/// Where in a line begins what follows a name and a colon; the end of the line if nothing does.
fn find_speech(line: &str, name: &str) -> Option<usize> {
    let (name, needs_colon) = match name.trim_end().strip_suffix(':') {
        Some(name) => (name.trim_end(), true),
        None => (name, false),
    };
    let after = |text: &str| {
        let start = text.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then(|| text.len() - name.len())
    };
    let line_start = line.trim_start();
    // Some plugins wrote the names as headings.
    let rest =
        after(line_start).or_else(|| after(line_start.trim_start_matches('#').trim_start()))?;
    let rest = line[line.len() - rest..].trim();
    match rest.strip_prefix([':', '：']) {
        Some(said) => {
            Some(line.len() - (line.len() - line.trim_end().len()) - said.trim_start().len())
        }
        None => (rest.is_empty() && !needs_colon).then_some(line.len()),
    }
}
