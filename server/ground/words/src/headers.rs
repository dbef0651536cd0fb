//! Headers of HTTP requests.

/// The headers of HTTP requests that the engine sets, in lower case. Neither a manifest nor an imported API sets them.
pub const SET_BY_ENGINE: [&str; 14] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether the engine sets the header with this name, in any case.
pub fn is_set_by_engine(name: &str) -> bool {
    SET_BY_ENGINE.iter().any(|header| header.eq_ignore_ascii_case(name))
}
