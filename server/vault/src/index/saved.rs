//! The index on disk, so that the next start has less to read.
//!
//! A file holds what was known when it was written. Whoever loads it compares every file of the vault
//! with its stamp. It is of use only to the program and the folder that it was written by and for:
//! anything else about it, and it is left alone until it is written anew.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use cap_fs_ext::MetadataExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::words::Words;
use super::{Index, Indexed};
use crate::links::Names;
use crate::path::VaultPath;
use crate::root::Root;

/// The start of the names of files with an index.
const NAME: &str = "vault-";
/// Changes with the format.
const FORMAT: u32 = 5;
/// Length of what stands at the end of a file.
const DIGEST: usize = 32;
/// Vaults whose indexes are kept; of more, those that were saved last.
const KEPT: usize = 16;

/// A folder of the user's own in which indexes of vaults are kept. It may be deleted at any time.
pub(crate) struct Cache(pub(crate) PathBuf);

/// Whose index it is.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    format: u32,
    program: String,
    /// Device and inode of the vault's folder, which no copy of it shares.
    folder: (u64, u64),
}

impl Cache {
    fn file(&self, header: &Header) -> PathBuf {
        let (device, inode) = header.folder;
        self.0.join(format!("{NAME}{device:x}-{inode:x}"))
    }

    /// Puts a file in the place of another in one step. What a power cut tears has another digest.
    fn put(&self, header: &Header, saved: &Saved<'_>) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.0)?;
        let file = self.file(header);
        let staged = file.with_added_extension(std::process::id().to_string());
        let digesting = Digesting { file: File::create(&staged)?, digest: Sha256::new() };
        let mut writer = BufWriter::with_capacity(1 << 16, digesting);
        postcard::to_io(&(header, saved), &mut writer).map_err(io::Error::other)?;
        let Digesting { file: mut written, digest } = writer.into_inner()?;
        written.write_all(&digest.finalize())?;
        fs::rename(&staged, file)
    }

    /// Removes what is too much, and what killed programs left.
    fn prune(&self) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(NAME));
        let mut ours: Vec<_> = ours
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        ours.sort_unstable_by(|a, b| b.cmp(a));
        for (_, old) in ours.into_iter().skip(KEPT) {
            // What stays is removed after the next time.
            let _ = fs::remove_file(old);
        }
    }
}

/// A file that takes the digest of what is written to it.
struct Digesting {
    file: File,
    digest: Sha256,
}

impl Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
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
    pub(super) fn load(root: &Root, cache: &Cache) -> Option<Self> {
        let expected = Header::of(root)?;
        let bytes = fs::read(cache.file(&expected)).ok()?;
        let (content, digest) = bytes.split_at_checked(bytes.len().checked_sub(DIGEST)?)?;
        if Sha256::digest(content).as_slice() != digest {
            return None;
        }
        let (header, content) = postcard::take_from_bytes::<Header>(content).ok()?;
        if header != expected {
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

    /// Saves the index, if it differs from the saved one. Nothing depends on success.
    pub(super) fn save(&self, root: &Root, cache: &Cache) -> Option<()> {
        self.unsaved.then_some(())?;
        let header = Header::of(root)?;
        let paths = self.names.by_id().map(|path| path.map(VaultPath::as_str)).collect();
        let files = self.files.iter().flatten().collect();
        cache.put(&header, &Saved { paths, files, words: &self.words }).ok()?;
        cache.prune();
        Some(())
    }
}
