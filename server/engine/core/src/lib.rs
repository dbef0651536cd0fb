//! The core of a server that is built from a tool-authority manifest: the tables that the macro generates,
//! the policy that decides who may use them, and the pipeline that runs every call.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.

mod argument_schema;
pub mod arguments;
pub mod audit;
pub mod authority;
pub mod availability;
pub mod builtin;
pub mod call;
pub mod caller;
pub mod diagnosis;
pub mod dialogue;
pub mod fault;
pub mod folders;
pub mod hex;
pub mod json;
pub mod period;
pub mod pipeline;
pub mod policy;
pub mod provider;
pub mod result;
pub mod runtime;
pub mod suggest;
pub mod test_context;
pub mod toolset;
pub mod updates;

#[cfg(fuzzing)]
pub use argument_schema::fits;
