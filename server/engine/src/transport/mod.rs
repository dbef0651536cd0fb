//! Ways in. Each speaks JSON-RPC with a client and hands requests to rmcp's service loop.

mod line;
pub(crate) mod stdio;
