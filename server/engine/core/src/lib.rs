//! The core of a server that is built from a tool-authority manifest: the tables that the macro generates,
//! the policy that decides who may use them, and the pipeline that runs every call.
//!
//! This crate is part of `toolwrit`, the crate that authors depend on. Its interface changes with `toolwrit`.
//!
//! What happens to a call:
//!
//! - [`caller`] says who calls, [`call`] is the call in each phase, and [`call::context`] is what its handler sees.
//!   [`call::calls`] are calls that a handler makes on behalf of its caller.
//! - [`pipeline`] runs it, with a file for each phase. Searches and descriptions pass only the rate, the session limit
//!   and the limits on handlers.
//! - [`policy`] decides which operations a caller may use; `policy/chosen` has what the operator, the credential and
//!   the request chose, by name.
//! - [`arguments`] checks declared parameters, and `argument_schema` those of operations that providers add, against
//!   their JSON Schema. It looks at a value once for each subschema, so that a check ends in bounded time.
//! - [`dialogue`] asks in the middle of a call: `live` waits for the answer of the client, `rounds` ends the call and
//!   continues it with the answers, and `relay` passes questions of another server on.
//! - [`result`] is what handlers return, and how it is reduced to fields, to a page and to a size. [`fault`] is a
//!   failure.
//! - [`audit`] is what is kept of calls, and the trait of the state. [`shared`] is what replicas of a server have in common:
//!   limits of callers, tokens, keys, notices; one process has it in memory. [`builtin`] has the operations that the engine
//!   carries out itself.
//!
//! What a server offers:
//!
//! - [`authority`] has the tables. `selector` names sets of operations, and `modes` are focus modes and roles of the operator. `dynamic` are operations that providers add while a server runs, `joined` and
//!   `joining` check and name them, and `live` is the current authority. An `OperationHandle` is a position together
//!   with its authority.
//! - [`toolset`] is the interface to generated code. It changes with the macro.
//! - [`provider`] is external software that operations need. `provider/supervisor` probes each in a task of its own,
//!   and [`availability`] has the results.
//!
//! The phases are functions, not layers of tower: the type of the request changes from phase to phase, which enforces
//! their order.
#![warn(missing_docs)]

pub mod argument_schema;
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
pub mod json;
pub mod period;
pub mod pipeline;
pub mod policy;
pub mod provider;
pub mod result;
pub mod runtime;
pub mod shared;
pub mod test_context;
pub mod toolset;
pub mod updates;

#[cfg(fuzzing)]
pub use argument_schema::fits;
