//! An engine for MCP servers that are generated from a tool-authority manifest.
//!
//! [`authority!`] turns a YAML manifest into typed parameters, one `Handlers` trait per category and static
//! tables. This crate does the rest: a transport or the command line passes a request to a `surface`, which
//! resolves it to an operation. The `pipeline` checks the policy and the arguments, runs the handler and
//! shapes the result.
//!
//! The other crates of the engine stand behind features. `server` combines them for authors who serve from their own
//! program, and [`testing`] calls operations in process.
#![warn(missing_docs)]

#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod server;
pub mod testing;

/// The command-line parser for [`App::Options`], in the version that the engine uses.
#[cfg(feature = "cli")]
pub use clap;
pub use jiff::{Timestamp, civil::Date};
pub use serde_json::Value as Json;
pub use server::{BuildError, Builder, Server};
#[cfg(feature = "chat")]
pub use toolwrit_chat as chat;
#[cfg(feature = "cli")]
pub use toolwrit_cli::{self as cli, EngineFlags};
#[cfg(feature = "client")]
pub use toolwrit_client as client;
pub use toolwrit_core::arguments::nullable::Nullable;
pub use toolwrit_core::arguments::refused::RefusedItem;
pub use toolwrit_core::arguments::value::UnknownValue;
pub use toolwrit_core::authority::{Effect, Instance};
pub use toolwrit_core::availability::{Probe, Reason, Unavailable};
pub use toolwrit_core::call::context::Context;
pub use toolwrit_core::call::reports::Level;
pub use toolwrit_core::caller::principal::Principal;
pub use toolwrit_core::caller::sender::{ClientInfo, RequestId};
pub use toolwrit_core::caller::surface_kind::SurfaceKind;
pub use toolwrit_core::diagnosis::Check;
pub use toolwrit_core::dialogue::confirmed::Confirmed;
pub use toolwrit_core::dialogue::{
    Answered, Ask, Form, Input, Question, Root, Roots, Sampled, Sampling, Speaker,
};
pub use toolwrit_core::fault::{Code, DeclaredCode, Fault, Result};
pub use toolwrit_core::folders;
pub use toolwrit_core::provider::{BoxFuture, Offers, Provider};
pub use toolwrit_core::result::content::{Content, ContentBlock, PromptMessages, ResourceContents};
pub use toolwrit_core::result::page::Page;
pub use toolwrit_core::runtime::runtime;
pub use toolwrit_core::toolset::{
    App, Candidate, Candidates, InstalledPlugin, Opened, ProviderTables, Setup,
};
pub use toolwrit_core::updates::Updates;
#[cfg(feature = "http")]
pub use toolwrit_http as http;
pub use toolwrit_macros::authority;
#[cfg(feature = "stdio")]
pub use toolwrit_mcp::stdio;
pub use toolwrit_mcp::surface::{Split, SurfaceChoice};
#[cfg(feature = "postgres")]
pub use toolwrit_postgres as postgres;
/// The engine's search for tools, and its detection of contexts.
pub use toolwrit_retrieval as retrieval;
pub use toolwrit_retrieval::contexts::{
    ContextRule, DetectedContext, InvalidPrevious, InvalidRule, Previous, extract_contexts,
};
#[cfg(feature = "sqlite")]
pub use toolwrit_state::{self as state, rusqlite};

/// The types for operations that providers add while the server runs, and for a toolset of your own, whose
/// authority may be replaced.
pub mod dynamic {
    pub use toolwrit_core::arguments::value::{ArgValues, IntoJson};
    pub use toolwrit_core::authority::{
        Authority, DynamicOperation, InvalidDynamicOperation, LiveAuthority, Tables,
    };
    pub use toolwrit_core::result::running::RunningHandler;
    pub use toolwrit_core::toolset::{Hooks, Tools, Toolset};
}

/// The types for a storage of your own, which keeps the state of a [`Server`]: the audit, the answers to calls with an
/// idempotency key, and the costs of tool listings.
pub mod storage {
    pub use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer, IdempotencyKey};
    pub use toolwrit_core::audit::counters::Backlog;
    pub use toolwrit_core::audit::listing_costs::AccountCosts;
    pub use toolwrit_core::audit::record::Record;
    pub use toolwrit_core::audit::row::{AuditFilter, AuditRow};
    pub use toolwrit_core::audit::storage::{Storage, StorageFailed, Stored};
}

/// Stops the build of an authority with commands unless the feature is on. Nobody then gets them by accident.
#[cfg(feature = "commands")]
#[doc(hidden)]
#[macro_export]
macro_rules! requires_commands {
    () => {};
}

/// Stops the build of an authority with commands unless the feature is on. Nobody then gets them by accident.
#[cfg(not(feature = "commands"))]
#[doc(hidden)]
#[macro_export]
macro_rules! requires_commands {
    () => {
        ::core::compile_error!(
            "the manifest binds operations to commands, which need the feature `commands` of the crate toolwrit"
        );
    };
}

/// Stops the build of an authority with MCP servers unless the feature is on. Nobody then starts them by accident.
#[cfg(feature = "upstreams")]
#[doc(hidden)]
#[macro_export]
macro_rules! requires_upstreams {
    () => {};
}

/// Stops the build of an authority with MCP servers unless the feature is on. Nobody then starts them by accident.
#[cfg(not(feature = "upstreams"))]
#[doc(hidden)]
#[macro_export]
macro_rules! requires_upstreams {
    () => {
        ::core::compile_error!(
            "the manifest binds operations to other MCP servers, which need the feature `upstreams` of the crate toolwrit"
        );
    };
}

/// The items that generated code uses. Not a public API: it changes with the macro.
#[doc(hidden)]
pub mod generated {
    pub use crate::{requires_commands, requires_upstreams};
    pub use serde;
    pub use std::boxed::Box;
    pub use std::collections::BTreeMap;
    pub use std::sync::{Arc, LazyLock};
    pub use std::vec::Vec;
    pub use toolwrit_core::arguments::value::{
        ArgValue, ArgValues, FromArgValue, IntoJson, Object, choice, value,
    };
    pub use toolwrit_core::authority::Authority;
    pub use toolwrit_core::authority::generated::read_authority;
    pub use toolwrit_core::call::context::Context;
    pub use toolwrit_core::fault::declared;
    pub use toolwrit_core::provider::Supervised;
    pub use toolwrit_core::result::page::Paged;
    pub use toolwrit_core::result::running::RunningHandler;
    pub use toolwrit_core::toolset::{ProviderTables, Tools, Toolset, by_engine};
    #[cfg(feature = "bindings")]
    pub use toolwrit_gateway::bound::bound_providers;
}
