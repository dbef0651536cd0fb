//! `chat` and `run`: conversations in notes, and the blocks of notes that call operations.

mod consent;
mod models;
mod news;
mod request;
mod run;
mod send;
mod session;
mod watch;

#[cfg(feature = "lsp")]
pub(crate) use run::run_block;
#[cfg(feature = "lsp")]
pub(crate) use session::named_focus;

use crate::program::Verb;

/// The commands of applications with conversations.
pub(crate) const VERBS: &[Verb] = &[send::VERB, run::VERB];
