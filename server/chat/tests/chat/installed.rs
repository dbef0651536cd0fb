//! Programs of others, which `tests/vendors/install` installs.

use std::path::{Path, PathBuf};

use toolwrit_requirement::{Need, met};

/// A program, if it is installed.
pub(crate) fn installed(program: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendors").join(program);
    met(&[Need::File(&path)], "server/chat/tests/vendors/install").then_some(path)
}
