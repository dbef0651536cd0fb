//! Ways in. Each speaks JSON-RPC with a client and hands requests to rmcp.

pub(crate) mod http;
mod line;
pub(crate) mod stdio;
