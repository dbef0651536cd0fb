//! Headers of HTTP requests that nobody else sets than who sends the request. Names are in lower case.

/// The session of a client of MCP (Streamable HTTP, revisions before 2026-07-28).
pub const MCP_SESSION: &str = "mcp-session-id";
/// The revision of MCP that a request follows.
pub const MCP_REVISION: &str = "mcp-protocol-version";

/// Describe the connection and the body (RFC 9110 and 9112).
const SET_BY_CLIENT: [&str; 11] = [
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Prove who sends the request. For APIs they come from the declared credentials.
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "proxy-authorization"];

/// The headers that the engine sets for an API. Neither a manifest nor an imported API sets them.
pub fn set_by_engine() -> impl Iterator<Item = &'static str> {
    SET_BY_CLIENT.into_iter().chain(CREDENTIALS)
}

/// Whether the engine sets the header with this name for an API, in any case.
pub fn is_set_by_engine(name: &str) -> bool {
    set_by_engine().any(|header| header.eq_ignore_ascii_case(name))
}

/// Whether the connection to an MCP server sets the header with this name, in any case.
pub fn is_set_by_connection(name: &str) -> bool {
    let mut all = SET_BY_CLIENT.into_iter().chain(["accept", MCP_REVISION, MCP_SESSION]);
    all.any(|header| header.eq_ignore_ascii_case(name))
}
