//! Who makes a call, and with what program.

pub mod origin;
pub mod principal;
pub mod sender;
pub mod session_calls;
pub mod surface_kind;
pub mod trace_parent;
