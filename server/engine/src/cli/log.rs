//! Logs go to standard error, as standard output belongs to the protocol or to the result.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

/// Starts logging, at the level that `TOOLWRIT_LOG` asks for.
pub(super) fn start() {
    let filter = EnvFilter::try_from_env("TOOLWRIT_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .init();
}
