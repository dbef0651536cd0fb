//! The index on disk, so that the next start has less to read.
//!
//! `.toolwrit/index` holds what was known when it was written. Whoever loads it compares every file
//! with its stamp. It is of use only to the program and the folder that it was written by and for:
//! anything else about it, and it is left alone until it is written anew.

use cap_fs_ext::{DirExt, MetadataExt};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::words::Words;
use super::{Index, Indexed};
use crate::links::Names;
use crate::lock::{STAGING, STATE};
use crate::path::VaultPath;
use crate::root::Root;

const NAME: &str = "index";
/// Changes with the format.
const FORMAT: u32 = 2;
const DIGEST: usize = 32;

/// Whose index it is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    program: String,
    /// Device and inode of the vault's folder, which no copy of it shares.
    folder: (u64, u64),
}

#[derive(Serialize)]
struct Saved<'a> {
    /// By id; where there is no file, none.
    paths: Vec<Option<&'a str>>,
    files: Vec<&'a Indexed>,
    words: &'a Words,
}

/// The same, as it comes back.
#[derive(Deserialize)]
struct Loaded {
    paths: Vec<Option<String>>,
    files: Vec<Indexed>,
    words: Words,
}

impl Header {
    fn of(root: &Root) -> Option<Self> {
        let folder = root.dir.dir_metadata().ok()?;
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Some(Self { format: FORMAT, program, folder: (folder.dev(), folder.ino()) })
    }
}

impl Index {
    /// The index as it was saved; `None` if there is none that can be trusted.
    pub(super) fn load(root: &Root) -> Option<Self> {
        let state = root.dir.open_dir_nofollow(STATE).ok()?;
        let bytes = state.read(NAME).ok()?;
        let (digest, content) = bytes.split_at_checked(DIGEST)?;
        if Sha256::digest(content).as_slice() != digest {
            return None;
        }
        let (header, content) = postcard::take_from_bytes::<Header>(content).ok()?;
        if header != Header::of(root)? {
            return None;
        }
        let Loaded { paths, files, mut words } = postcard::from_bytes(content).ok()?;
        words.prepare();
        let path = |path: Option<String>| path.map(|path| VaultPath::parse(&path)).transpose();
        let paths: Result<Vec<_>, _> = paths.into_iter().map(path).collect();
        let names = Names::restored(paths.ok()?);
        let mut index = Self { names, words, ..Self::default() };
        for indexed in files {
            index.names.path(indexed.file)?;
            index.insert(indexed);
        }
        index.unsaved = false;
        Some(index)
    }

    /// Saves the index, if it differs from the saved one and the engine has a folder of its own.
    /// Nothing depends on success.
    pub(super) fn save(&self, root: &Root) -> Option<()> {
        self.unsaved.then_some(())?;
        let state = root.dir.open_dir_nofollow(STATE).ok()?;
        let staging = state.open_dir_nofollow(STAGING).ok()?;
        let mut content = vec![0; DIGEST];
        content = postcard::to_extend(&Header::of(root)?, content).ok()?;
        let paths = self.names.by_id().map(|path| path.map(VaultPath::as_str)).collect();
        let files = self.files.iter().flatten().collect();
        content = postcard::to_extend(&Saved { paths, files, words: &self.words }, content).ok()?;
        let digest = Sha256::digest(&content[DIGEST..]);
        content[..DIGEST].copy_from_slice(&digest);
        let staged = format!(".toolwrit-index-{}", std::process::id());
        staging.write(&staged, content).ok()?;
        staging.rename(&staged, &state, NAME).ok()
    }
}
