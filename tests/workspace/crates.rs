//! The crates of the workspace, as cargo sees them.

mod features;
mod packages;
mod structure;

use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn repository() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_owned()
}
