//! The sample vault: invented notes to try the server with.

use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, DirEntry, include_dir};
use toolwrit_vault::{Vault, VaultError, VaultPath, WriteMode};

static NOTES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");

/// Returns the sample vault in the user's data folder. Creates it on first use, and never changes it after.
pub(crate) fn create_vault() -> io::Result<PathBuf> {
    let folder = sample_folder().ok_or_else(|| {
        io::Error::other("no home folder for the sample vault; name a vault with --vault DIR")
    })?;
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

/// Whether a folder is the sample vault.
pub(crate) fn is_sample(folder: &Path) -> bool {
    let sample = sample_folder().and_then(|sample| sample.canonicalize().ok());
    sample.is_some() && folder.canonicalize().ok() == sample
}

/// Creates the files of the sample that are missing in its vault, and returns their paths. Settings are left alone.
///
/// # Errors
/// Why a file cannot be written. Earlier ones have been created then.
pub(crate) fn restore(vault: &Vault) -> Result<Vec<String>, VaultError> {
    let mut created = Vec::new();
    let mut folders = vec![&NOTES];
    while let Some(folder) = folders.pop() {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(inner) => folders.push(inner),
                DirEntry::File(file) => {
                    // Hidden folders have no path in a vault.
                    let Ok(path) = VaultPath::parse(&file.path().to_string_lossy()) else {
                        continue;
                    };
                    let Some(text) = file.contents_utf8() else { continue };
                    match vault.write(&path, text, WriteMode::CreateOnly, None) {
                        Err(VaultError::AlreadyExists { .. }) => {}
                        written => created.push(written?.path.to_string()),
                    }
                }
            }
        }
    }
    created.sort();
    Ok(created)
}

/// The folder of the sample vault; `None` without a home folder.
fn sample_folder() -> Option<PathBuf> {
    Some(toolwrit::folders::data()?.join("toolwrit").join("sample-vault"))
}
