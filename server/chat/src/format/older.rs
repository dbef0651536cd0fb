//! Conversations that older plugins wrote: lines such as `#user` and `#assistant` say who speaks.

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

/// The lines that older plugins wrote. A line is one of these names, in any case.
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
    /// The lines that are known of older plugins. In a note that nobody has said to be of one, they mean nothing: `#system` is a
    /// tag, and whoever wrote the note may not speak as somebody else.
    #[must_use]
    pub fn known() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            user: names(&["#user", "role::user"]),
            assistant: names(&["#assistant", "role::assistant"]),
            system: names(&["#system", "role::system"]),
            new_chat: names(&["#newChat", "#new-chat"]),
        }
    }
}

/// A section of the user's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) role: Role,
    /// The line that names the role; empty if there is none.
    pub(crate) mark: Range<usize>,
    pub(crate) body: Range<usize>,
}

impl OlderNames {
    fn role(&self, line: &str) -> Option<Role> {
        let line = line.trim();
        // Some plugins wrote the names as headings.
        let heading = line.trim_start_matches('#').trim_start();
        let is = |names: &[String]| {
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(line) || name.eq_ignore_ascii_case(heading))
        };
        [
            (&self.user, Role::User),
            (&self.assistant, Role::Assistant),
            (&self.system, Role::System),
            (&self.new_chat, Role::NewChat),
        ]
        .into_iter()
        .find_map(|(names, role)| is(names).then_some(role))
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
            let Some(role) = self.role(line.text).filter(|_| !in_code) else { continue };
            if let Some(last) = found.last_mut() {
                last.body.end = line.start;
            }
            found.push(Section {
                role,
                mark: line.start..line.next,
                body: line.next..text.range.end,
            });
        }
        found
    }
}
