//! Logs go to standard error, as standard output belongs to the protocol or to the result.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

/// The SDK tells much about each request, and speaks up only when it is asked for by name.
const QUIET: &str = "rmcp=warn";

/// Starts logging, at the level that `TOOLWRIT_LOG` asks for.
pub(super) fn start() {
    let wanted = std::env::var("TOOLWRIT_LOG").unwrap_or_else(|_| "warn".to_owned());
    let filter = EnvFilter::try_new(format!("{QUIET},{wanted}"))
        .unwrap_or_else(|_| EnvFilter::new(format!("{QUIET},warn")));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .init();
}
