//! Files that others edit.

use std::fs;
use std::path::Path;

/// Writes a file as editors do, which replace it: nobody sees it empty or half written.
pub fn replace(path: &Path, text: &str) {
    let next = path.with_extension("next");
    fs::write(&next, text).unwrap();
    fs::rename(next, path).unwrap();
}
