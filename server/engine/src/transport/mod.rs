//! Ways in. Each speaks JSON-RPC with a client and hands requests to rmcp.

pub(crate) mod http;
pub(crate) mod line;
mod signals;
pub(crate) mod stdio;
