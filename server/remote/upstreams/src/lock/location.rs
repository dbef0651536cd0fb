//! Where an upstream is, for an approval: whatever serves the approved tools from another location was never approved.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::import::Target;
use toolwrit_text::shorten::visible_line;

/// Characters of a word that are shown.
const WORD: usize = 1000;

/// The program that is an upstream, or its address, as the operator has written it: with the names of variables and without
/// their values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Location {
    /// A program on this machine.
    Program {
        program: String,
        arguments: Vec<String>,
        /// Its working directory.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// A server over HTTP.
    Address { address: String },
}

impl Location {
    /// The program without its arguments, or the address without its user and its query.
    pub fn brief(&self) -> String {
        match self {
            Self::Program { program, .. } => program.clone(),
            Self::Address { address } => {
                let address = address.split(['?', '#']).next().unwrap_or_default();
                let Some((scheme, rest)) = address.split_once("://") else {
                    return address.to_owned();
                };
                let end = rest.find('/').unwrap_or(rest.len());
                let host = rest[..end].rfind('@').map_or(0, |at| at + 1);
                format!("{scheme}://{}", &rest[host..])
            }
        }
    }

    /// Says how the configured location differs from this one, which is approved; `None` if it does not.
    pub fn differs_from(&self, configured: &Self) -> Option<String> {
        if self == configured {
            return None;
        }
        let (approved, now) = (self.to_string(), configured.to_string());
        Some(if approved == now {
            format!("approved for another user or query of {approved}")
        } else {
            format!("approved for {approved}, configured is {now}")
        })
    }
}

impl From<&Target> for Location {
    fn from(target: &Target) -> Self {
        match target {
            Target::Command { program, arguments, directory, .. } => Self::Program {
                program: program.to_string(),
                arguments: arguments.iter().map(ToString::to_string).collect(),
                folder: directory.as_ref().map(ToString::to_string),
            },
            Target::Remote { url, .. } => Self::Address { address: url.to_string() },
        }
    }
}

impl fmt::Display for Location {
    /// Writes the program with its arguments and its folder, or the address without its user and its query.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Program { program, arguments, folder } = self else {
            return f.write_str(&visible_line(&self.brief(), WORD));
        };
        f.write_str(&word(program))?;
        arguments.iter().try_for_each(|argument| write!(f, " {}", word(argument)))?;
        folder.iter().try_for_each(|folder| write!(f, " in {}", word(folder)))
    }
}

/// A word, in quotes if it could be read as several or as none.
fn word(text: &str) -> String {
    let shown = visible_line(text, WORD);
    let is_plain = shown == text && !text.is_empty() && !text.contains([' ', '"', '\'']);
    if is_plain { shown } else { format!("{text:?}") }
}
