//! The engine behind a tool-authority manifest.
//!
//! [`authority!`] turns a YAML manifest into typed parameters, one `Handlers` trait per category and
//! static tables; this crate does the rest. Data flows one way: a transport or the command line
//! hands a request to a `surface`, which names an operation; the `pipeline` decides, checks and
//! runs it; the outcome is shaped and goes back the same way.

mod arguments;
#[doc(hidden)]
pub mod authority;
mod call;
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
mod confirmed;
mod content;
mod context;
mod cut;
mod diagnosis;
mod dialogue;
mod discovery;
mod endpoint;
mod fault;
pub mod folders;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod hex;
mod identity;
mod lent;
mod mcp;
mod metrics;
mod outcome;
mod outgoing;
mod pipeline;
mod policy;
mod provider;
mod savings;
mod shaping;
#[cfg(feature = "authoring")]
mod site;
#[doc(hidden)]
pub mod slot;
mod state;
mod suggest;
mod surface;
#[doc(hidden)]
pub mod template;
mod tokens;
#[doc(hidden)]
pub mod toolset;
mod trace;
mod transport;
mod unique;
mod updates;
mod uri;

pub use authority::Effect;
pub use cli::EngineFlags;
pub use confirmed::Confirmed;
pub use content::{Content, ContentBlock, PromptMessages, ResourceContents};
pub use context::{Context, Level};
pub use diagnosis::Check;
pub use dialogue::{Answered, Ask, Form, Input, Question, Root, Roots, Sampled, Sampling, Speaker};
pub use discovery::{
    ContextRule, DetectedContext, InvalidPrevious, InvalidRule, Previous, extract_contexts,
};
pub use fault::{Code, Fault, Result};
pub use jiff::{Timestamp, civil::Date};
pub use provider::Provision;
pub use serde_json::Value as Json;
pub use toolset::App;
pub use toolwrit_macros::authority;
/// Finding tools by meaning, as the engine does it.
pub use toolwrit_retrieval as retrieval;
pub use updates::Updates;

/// What generated code names. Not for people: it changes with the macro.
#[doc(hidden)]
pub mod generated {
    pub use crate::authority::*;
    pub use crate::context::Context;
    pub use crate::slot::{FromSlot, IntoJson, Object, Slot, Slots, choice};
    pub use crate::template::template;
    pub use crate::toolset::{Running, Tools, Toolset};
    pub use std::boxed::Box;
    pub use std::collections::BTreeMap;
    pub use std::option::Option::{None, Some};
    pub use std::time::Duration;
}
