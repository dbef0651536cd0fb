//! The state file.

use std::path::Path;

use toolwrit_core::diagnosis::Check;
use toolwrit_state::{UnusableDatabase, examine};

/// The audit, idempotency keys and what listings cost.
pub(super) fn state(file: Option<&Path>) -> Check {
    let what = "state";
    let fix =
        "A server goes on without it: no audit, and calls with an idempotency key are refused.";
    let Some(file) = file else {
        return Check::fail(what, UnusableDatabase::NoHome.to_string(), fix);
    };
    let shown = file.display();
    match examine(file) {
        Ok(None) => Check::ok(what, format!("{shown}, made by the first server")),
        Ok(Some(about)) => Check::ok(
            what,
            format!("{shown}, version {}, {} KiB", about.version, about.bytes.div_ceil(1024)),
        ),
        Err(error) => Check::fail(what, format!("{shown}: {error}"), fix),
    }
}
