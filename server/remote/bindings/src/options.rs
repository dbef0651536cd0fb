//! What the operator decides about connections, besides settings.

use std::time::Duration;

use toolwrit_network::Network;

use crate::sealed_cursor::CursorKey;

/// What the operator decides about the connection to an API.
#[derive(Debug, Clone)]
pub struct ConnectionOptions {
    /// Networks that may be reached although their addresses are not public. Only they may be reached without TLS.
    pub networks: Vec<Network>,
    /// Certificates in PEM to trust besides those of the system.
    pub certificates: Option<Vec<u8>>,
    /// How long to wait for a connection.
    pub connect_timeout: Duration,
    /// When a request is sent again.
    pub retry: RetryOptions,
    /// When no more requests are sent to an API that does not answer.
    pub circuit: CircuitOptions,
    /// The key that seals cursors. Connections that replace each other share it.
    pub cursor_key: CursorKey,
}

impl Default for ConnectionOptions {
    /// Public addresses only, ten seconds for a connection, and a new key.
    fn default() -> Self {
        Self {
            networks: Vec::new(),
            certificates: None,
            connect_timeout: Duration::from_secs(10),
            retry: RetryOptions::default(),
            circuit: CircuitOptions::default(),
            cursor_key: CursorKey::random(),
        }
    }
}

/// When a request is sent again: if the connection failed, or the operation is idempotent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryOptions {
    /// How often at most.
    pub times: usize,
    /// The pause before the first time. Each further pause doubles, and a random part is added. An API may ask
    /// for a longer one.
    pub first_pause: Duration,
}

impl Default for RetryOptions {
    /// Twice, and 200 milliseconds.
    fn default() -> Self {
        Self { times: 2, first_pause: Duration::from_millis(200) }
    }
}

/// When no more requests are sent to an API that does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CircuitOptions {
    /// After how many failures in a row.
    pub failures: u32,
    /// For how long. Then one request tries again.
    pub pause: Duration,
}

impl Default for CircuitOptions {
    /// Ten failures, and 15 seconds.
    fn default() -> Self {
        Self { failures: 10, pause: Duration::from_secs(15) }
    }
}
