//! Checks the state file.

use std::path::Path;

use crate::program::home::shown;
use toolwrit_core::diagnosis::Check;
use toolwrit_state::{UnusableDatabase, examine};

/// Checks the file of the audit, the idempotency keys and the costs of listings.
pub(super) fn state(file: Option<&Path>) -> Check {
    let name = "state";
    let fix = "Fix the file. Without it, a server keeps no audit and refuses calls with an idempotency key.";
    let Some(file) = file else {
        return Check::fail(name, UnusableDatabase::NoHome.to_string(), fix);
    };
    let shown = shown(file);
    match examine(file) {
        Ok(None) => {
            Check::ok(name, format!("{shown}, does not exist yet; the first server creates it"))
        }
        Ok(Some(metadata)) => Check::ok(
            name,
            format!("{shown}, version {}, {} KiB", metadata.version, metadata.bytes.div_ceil(1024)),
        ),
        Err(error) => Check::fail(name, format!("{shown}: {error}"), fix),
    }
}
