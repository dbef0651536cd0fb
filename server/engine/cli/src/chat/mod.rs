//! `chat` and `run`: conversations in notes, and the blocks of notes that call operations.

mod consent;
mod news;
mod request;
mod run;
mod send;
mod session;
mod watch;

#[cfg(feature = "lsp")]
pub(super) use run::run_block;
#[cfg(feature = "lsp")]
pub(super) use session::named_focus;

use super::program::Verb;

/// The commands of applications with conversations.
pub(super) const VERBS: &[Verb] = &[send::VERB, run::VERB];
