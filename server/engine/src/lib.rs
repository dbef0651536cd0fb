//! The engine behind a tool-authority manifest.
//!
//! [`authority!`] turns a YAML manifest into typed parameters, one `Handlers` trait per category and
//! static tables; this crate does the rest. Data flows one way: a transport or the command line
//! hands a request to a `surface`, which names an operation; the `pipeline` decides, checks and
//! runs it; the outcome is shaped and goes back the same way.

mod arguments;
mod audit_arguments;
#[doc(hidden)]
pub mod authority;
mod call;
mod claim;
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
mod confirmed;
mod content;
mod context;
mod counters;
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
mod held;
mod hex;
mod identity;
mod json_size;
mod listing_costs;
mod may_block;
mod mcp;
mod metrics;
#[cfg(feature = "otel")]
mod otel;
mod outcome;
mod outgoing;
mod pipeline;
mod pointer;
mod policy;
mod principal;
mod provider;
mod record;
mod recorded_arguments;
mod recorder;
mod reports;
mod savings;
mod shaping;
#[cfg(feature = "authoring")]
mod site;
#[doc(hidden)]
pub mod slot;
mod state;
mod storage;
mod suggest;
mod surface;
mod surface_kind;
#[doc(hidden)]
pub mod template;
mod tokens;
#[doc(hidden)]
pub mod toolset;
mod trace_parent;
mod transport;
mod unique;
mod updates;
mod uri;

pub use authority::Effect;
pub use cli::EngineFlags;
pub use confirmed::Confirmed;
pub use content::{Content, ContentBlock, PromptMessages, ResourceContents};
pub use context::Context;
pub use diagnosis::Check;
pub use dialogue::{Answered, Ask, Form, Input, Question, Root, Roots, Sampled, Sampling, Speaker};
pub use fault::{Code, Fault, Result};
pub use jiff::{Timestamp, civil::Date};
pub use provider::Provision;
pub use reports::Level;
pub use serde_json::Value as Json;
pub use toolset::App;
pub use toolwrit_macros::authority;
/// Finding tools by meaning, as the engine does it.
pub use toolwrit_retrieval as retrieval;
pub use toolwrit_retrieval::contexts::{
    ContextRule, DetectedContext, InvalidPrevious, InvalidRule, Previous, extract_contexts,
};
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
