//! The folder of a site. The new site is written next to the old one and replaces it as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Marks a folder with a site of ours, which the next build may replace.
const MARKER: &str = ".toolwrit-site";
const MARKER_TEXT: &str = "Written by `toolwrit docs build`, which replaces the whole folder.\n";

/// Why a site could not be built. The folder is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum DocsError {
    /// The folder has other content.
    #[error(
        "`{}` contains something other than a site built by this command; \
         name an empty or new folder",
        .0.display()
    )]
    Foreign(PathBuf),
    /// A file or folder could not be read or written.
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        /// The step that failed, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// A folder that may be replaced.
pub(crate) struct OutputFolder {
    parent: PathBuf,
    folder: PathBuf,
    exists: bool,
}

impl OutputFolder {
    pub(crate) fn open(out: &Path) -> Result<Self, DocsError> {
        let exists = out.symlink_metadata().is_ok();
        if exists && !is_replaceable(out)? {
            return Err(DocsError::Foreign(out.to_owned()));
        }
        // Resolve the path, so that a link stays a link and `.` has a parent.
        let folder = if exists {
            out.canonicalize().map_err(io_error("resolve", out))?
        } else {
            std::path::absolute(out).map_err(io_error("resolve", out))?
        };
        let Some(parent) = folder.parent().map(Path::to_owned) else {
            return Err(DocsError::Foreign(out.to_owned()));
        };
        fs::create_dir_all(&parent).map_err(io_error("create", &parent))?;
        Ok(Self { parent, folder, exists })
    }

    /// Replaces the folder with these files.
    pub(crate) fn write(&self, files: &BTreeMap<String, Vec<u8>>) -> Result<(), DocsError> {
        let staging = tempfile::Builder::new().prefix(".toolwrit-docs-").tempdir_in(&self.parent);
        let staging = staging.map_err(io_error("create a folder in", &self.parent))?;
        let site = staging.path().join("site");
        write(&site.join(MARKER), MARKER_TEXT.as_bytes())?;
        for (path, bytes) in files {
            write(&site.join(path), bytes)?;
        }
        self.replace(&site, &staging.path().join("old"))
    }

    /// Replaces the folder with a finished site.
    fn replace(&self, site: &Path, old: &Path) -> Result<(), DocsError> {
        if self.exists {
            fs::rename(&self.folder, old).map_err(io_error("move away", &self.folder))?;
        }
        fs::rename(site, &self.folder).map_err(|source| {
            if self.exists {
                // Restore the old folder. An error here has the same cause as the one that is
                // returned.
                let _ = fs::rename(old, &self.folder);
            }
            io_error("write", &self.folder)(source)
        })
    }
}

fn is_replaceable(out: &Path) -> Result<bool, DocsError> {
    if !out.is_dir() {
        return Ok(false);
    }
    let empty = fs::read_dir(out).map_err(io_error("read", out))?.next().is_none();
    Ok(empty || out.join(MARKER).is_file())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), DocsError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(io_error("create", parent))?;
    }
    fs::write(path, bytes).map_err(io_error("write", path))
}

fn io_error(action: &'static str, path: &Path) -> impl Fn(io::Error) -> DocsError {
    let path = path.to_owned();
    move |source| DocsError::Io { action, path: path.clone(), source }
}
