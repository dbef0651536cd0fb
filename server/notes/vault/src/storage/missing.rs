//! The errors for a file that is missing or has changed. A missing file gets suggestions: existing
//! files with similar names.

use std::ops::ControlFlow;

use toolwrit_text::nearest;

use super::root::{FileEntry, VaultRoot};
use super::sync::placeholder;
use super::walk::{Depth, walk};
use crate::error::{Result, VaultError};
use crate::etag::Etag;
use crate::path::{Folder, VaultPath, normal_form};

/// Most suggestions given.
const SUGGESTIONS: usize = 3;
/// Most files compared.
const LOOKED_AT: usize = 5_000;

impl VaultRoot {
    /// Finds an existing file. If there is none, the error has the closest names.
    pub(crate) fn find_existing(&self, path: &VaultPath) -> Result<FileEntry> {
        self.find(path)?.ok_or_else(|| self.not_found_error(path))
    }

    /// The error for a missing file, with the closest names: similar names in the same folder, and
    /// names that differ only in case and extension in any folder. A path that no new file can have is invalid.
    pub(crate) fn not_found_error(&self, path: &VaultPath) -> VaultError {
        if let Err(error) = path.check_new() {
            return error.into();
        }
        if let Some(path) = self.find_undownloaded(path) {
            return VaultError::NotDownloaded { path };
        }
        let wanted = comparable_name(path);
        let mut found: Vec<(f64, VaultPath)> = Vec::new();
        self.visit_files(&path.folder(), Depth::SHALLOW, &mut |candidate| {
            let name = comparable_name(&candidate);
            if nearest::is_similar(&name, &wanted) {
                found.push((nearest::similarity(&name, &wanted), candidate));
            }
        });
        self.visit_files(&Folder::ROOT, Depth::DEEP, &mut |candidate| {
            if comparable_name(&candidate) == wanted
                && found.iter().all(|(_, known)| *known != candidate)
            {
                found.push((1.0, candidate));
            }
        });
        found.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
        let similar = found.into_iter().take(SUGGESTIONS).map(|(_, path)| path).collect();
        VaultError::NotFound { path: path.to_string(), similar }
    }

    /// The file at a path if it is only in iCloud.
    pub(crate) fn find_undownloaded(&self, path: &VaultPath) -> Option<VaultPath> {
        let path = path.or_note().ok()?;
        let (dir, _) = self.open_folder(&path.folder()).ok()?;
        dir.symlink_metadata(placeholder(path.name())).ok()?.is_file().then_some(path)
    }

    /// The error for a file that another program has changed or removed.
    pub(crate) fn conflict_error(&self, entry: &FileEntry) -> VaultError {
        match entry.read() {
            Ok(now) => {
                let current = Etag::from_bytes(&now.bytes);
                VaultError::Conflict { path: entry.path.clone(), current }
            }
            Err(VaultError::NotFound { .. }) => self.not_found_error(&entry.path),
            Err(error) => error,
        }
    }

    fn visit_files(&self, folder: &Folder, depth: Depth, consider: &mut dyn FnMut(VaultPath)) {
        let mut left = LOOKED_AT;
        // If the folder is missing too, there is nothing to suggest from it.
        let _ = walk(self, folder, depth, &|| false, &mut |visited| {
            if !visited.is_folder {
                consider(visited.path);
            }
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

/// A name without its extension and in lower case, which people often leave out or get wrong.
fn comparable_name(path: &VaultPath) -> String {
    normal_form(path.stem()).to_lowercase()
}
