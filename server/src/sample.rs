//! The sample vault, for users who have no vault yet.

use std::io;
use std::path::PathBuf;

use include_dir::{Dir, include_dir};

static NOTES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");

/// Returns the sample vault in the user's data folder. Creates it on first use, and never changes it after.
pub(crate) fn vault() -> io::Result<PathBuf> {
    let data = toolwrit::folders::data().ok_or_else(|| {
        io::Error::other("no home folder for the sample vault; name a vault with --vault DIR")
    })?;
    let folder = data.join("toolwrit").join("sample-vault");
    if folder.is_dir() {
        return Ok(folder);
    }
    // Write to a temporary folder and rename it, so that a killed start leaves no incomplete vault.
    let parent = folder.parent().map(PathBuf::from).unwrap_or_default();
    std::fs::create_dir_all(&parent)?;
    let draft = parent.join(format!(".sample-vault-{}", std::process::id()));
    std::fs::create_dir_all(&draft)?;
    NOTES.extract(&draft)?;
    match std::fs::rename(&draft, &folder) {
        // Another process has created the vault.
        Err(_) if folder.is_dir() => std::fs::remove_dir_all(&draft)?,
        renamed => renamed?,
    }
    Ok(folder)
}
