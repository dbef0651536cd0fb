//! Programs of others, which `tests/vendors/install` installs.

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A program that is installed. Without it, says so past the capture of output; in CI the test fails.
pub(crate) fn installed(program: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendors").join(program);
    if path.exists() {
        return Some(path);
    }
    let notice =
        format!("{} is missing. To install it: server/chat/tests/vendors/install", path.display());
    assert!(std::env::var_os("CI").is_none(), "{notice}");
    std::io::stderr().write_all(format!("\n!!! SKIPPED: {notice}\n\n").as_bytes()).unwrap();
    None
}
