//! The core of a server that is built from a tool-authority manifest: the tables that the macro generates,
//! the policy that decides who may use them, and the pipeline that runs every call.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

pub mod arg_value;
mod argument_schema;
pub mod arguments;
pub mod audit_arguments;
pub mod audit_row;
pub mod authority;
pub mod availability;
mod batch;
pub mod bound_call;
pub mod builtin;
pub mod call;
pub mod call_totals;
pub mod calls;
pub mod claim;
pub mod confirmed;
pub mod content;
pub mod context;
pub mod counters;
mod cursor;
mod cut;
pub mod diagnosis;
pub mod dialogue;
pub mod fault;
pub mod folders;
mod held;
pub mod hex;
pub mod json_size;
pub mod listing_costs;
pub mod outcome;
pub mod page;
mod paging;
pub mod period;
pub mod pipeline;
mod pointer;
pub mod policy;
pub mod principal;
mod prompt_text;
pub mod provider;
pub mod record;
mod recorded_arguments;
pub mod recorder;
pub mod reports;
pub mod runtime;
pub mod savings;
pub mod sender;
pub mod session_calls;
mod shaping;
pub mod storage;
pub mod suggest;
pub mod surface_kind;
pub mod test_context;
pub mod toolset;
pub mod trace_parent;
pub mod unique;
pub mod updates;
mod watchdog;
mod wording;

#[cfg(fuzzing)]
pub use argument_schema::fits;
