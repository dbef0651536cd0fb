//! Conversations in the notes of an application, with the operations of its authority.
//!
//! The rest of the crate knows notes, models and tools only as traits. Here are the tools, which are [`Operations`] that run
//! through the pipeline; what the operator says ([`settings`]); and [`Conversations`], which opens the conversation of a
//! note. The application gives it a [`Notebook`](crate::notebook::Notebook).

mod added;
mod choice;
mod conversations;
mod diagnosis;
mod elicited;
mod narrowing;
mod operations;
mod outcome;
mod problem;
mod remote;
pub mod settings;

pub use conversations::{Conversations, Opened, Opening};
pub use diagnosis::{check_model, check_names, list_models};
pub use elicited::{Elicited, question_text};
pub use narrowing::narrow_policy;
pub use operations::{Operations, tool_from_operation};
pub use outcome::{NoteState, Sent, SentOutcome, StatusOfNote, WaitingCall};
pub use problem::Problem;
pub use remote::create_model;

use std::sync::Arc;

use toolwrit_core::toolset::App;

use settings::ChatSettings;

/// An application whose notes may be conversations.
pub trait Converses: App {
    /// Returns its conversations, under what the operator says about them. Called once, right after the application was
    /// opened.
    fn converse(&self, settings: ChatSettings) -> Arc<Conversations>;
}
