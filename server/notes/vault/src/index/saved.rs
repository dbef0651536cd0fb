//! The saved index, which makes the next start faster.
//!
//! A file holds the index at the time of writing. After loading, every file of the vault is
//! compared with its stamp. The file is valid only for the program and the folder that it was
//! written for; otherwise it is ignored until it is overwritten.

use std::fs;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use cap_fs_ext::MetadataExt;
use cap_std::fs::File;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::words::Words;
use super::{Index, Indexed};
use crate::links::FileNames;
use crate::path::VaultPath;
use crate::storage::private::PrivateFolder;
use crate::storage::root::VaultRoot;
use crate::storage::seal::{Purpose, SEAL, SealKey};
use crate::storage::state_folder::StateFolder;

/// The start of the names of files with saved data.
const NAME: &str = "vault-";
/// The start of the names of files that are being written.
const STAGED: &str = ".toolwrit-";
/// What the index is, among saved data.
const KIND: &str = "index";
/// Changes with the format.
const FORMAT: u32 = 8;
/// Length of the content's length, which is sealed together with the digest.
const LENGTH: usize = 8;
/// Length of the content's digest.
const DIGEST: usize = 32;
/// Length of the head before the content: the seal and what it seals.
const HEAD: usize = SEAL + LENGTH + DIGEST;
/// How many files are kept. Older ones are removed.
const KEPT: usize = 16;

/// A folder of the user's own in which the indexes of vaults are saved. It may be deleted at any
/// time.
///
/// Other users may be able to write there. So the head is read first. The content is read only if
/// the head is sealed with the user's key, and only as much as the head says.
pub(crate) struct CacheFolder {
    pub(crate) folder: PathBuf,
    /// Has the user's key.
    pub(crate) state: StateFolder,
}

/// Identifies the program and the vault that saved data belongs to.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// What the data is.
    kind: String,
    format: u32,
    program: String,
    /// Device and inode of the vault's folder. A copy of the folder has others.
    folder: (u64, u64),
}

impl CacheFolder {
    /// Writes data in one step. If a power cut damages it, the digest does not match.
    fn write(&self, header: &Header, saved: &impl Serialize) -> io::Result<()> {
        let key = self.state.key()?;
        PrivateFolder::create(&self.folder)?.replace(&header.file_name(), |mut file| {
            file.write_all(&[0; HEAD])?;
            let digesting = Digesting { file, digest: Sha256::new(), length: 0 };
            let mut writer = BufWriter::with_capacity(1 << 16, digesting);
            postcard::to_io(&(header, saved), &mut writer).map_err(io::Error::other)?;
            let Digesting { mut file, digest, length } = writer.into_inner()?;
            let (length, digest) = (length.to_le_bytes(), digest.finalize());
            let seal = key.seal(Purpose::Index, &[&length, &digest]);
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&[&seal[..], &length, &digest].concat())
        })
    }

    /// The saved content, if this user saved it.
    fn read(&self, header: &Header) -> Option<Vec<u8>> {
        let folder = PrivateFolder::open(&self.folder).ok()??;
        let (mut file, size) = folder.open_file(&header.file_name()).ok()?;
        let key = self.state.key().ok()?;
        let (length, digest) = read_head(&mut file, &key).filter(|(length, _)| *length == size)?;
        let mut content = vec![0; usize::try_from(length).ok()?.checked_sub(HEAD)?];
        file.read_exact(&mut content).ok()?;
        (Sha256::digest(&content).as_slice() == digest).then_some(content)
    }

    /// Removes the oldest indexes above the limit, and what killed programs left.
    fn prune(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(NAME) || name.starts_with(STAGED)
        });
        let mut ours: Vec<_> = ours
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        ours.sort_unstable_by(|a, b| b.cmp(a));
        for (_, old) in ours.into_iter().skip(KEPT) {
            // The next save tries again to remove what stays.
            let _ = fs::remove_file(old);
        }
    }
}

/// The length of a file with this head and the digest of its content; `None` if the seal is
/// invalid.
fn read_head(file: &mut File, key: &SealKey) -> Option<(u64, [u8; DIGEST])> {
    let mut head = [0; HEAD];
    file.read_exact(&mut head).ok()?;
    let (seal, sealed) = head.split_at(SEAL);
    if !key.verify(Purpose::Index, &[sealed], seal) {
        return None;
    }
    let (length, digest) = sealed.split_first_chunk::<LENGTH>()?;
    let length = u64::from_le_bytes(*length).checked_add(HEAD as u64)?;
    Some((length, digest.try_into().ok()?))
}

/// A file that computes the digest and the length of what is written.
struct Digesting {
    file: File,
    digest: Sha256,
    length: u64,
}

impl Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[derive(Serialize)]
struct Saved<'a> {
    /// The path of each id; `None` where there is no file.
    paths: Vec<Option<&'a str>>,
    files: Vec<&'a Indexed>,
    words: &'a Words,
}

/// A [`Saved`] index after it is loaded, which owns its content.
#[derive(Deserialize)]
struct LoadedIndex {
    paths: Vec<Option<String>>,
    files: Vec<Indexed>,
    words: Words,
}

impl Header {
    fn new(root: &VaultRoot, kind: &str, format: u32) -> Option<Self> {
        let folder = root.dir.dir_metadata().ok()?;
        let (kind, program) = (kind.to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Some(Self { kind, format, program, folder: (folder.dev(), folder.ino()) })
    }

    fn file_name(&self) -> String {
        let (device, inode) = self.folder;
        format!("{NAME}{}-{device:x}-{inode:x}", self.kind)
    }
}

impl CacheFolder {
    /// Saves data that a plugin has derived from the vault. Nothing depends on success.
    pub(crate) fn save_derived(&self, root: &VaultRoot, (kind, format): (&str, u32), bytes: &[u8]) {
        let header = Header::new(root, kind, format);
        if header.is_some_and(|header| self.write(&header, &bytes).is_ok()) {
            self.prune();
        }
    }

    /// The saved data; `None` if there is none of this kind and format.
    pub(crate) fn load_derived(
        &self,
        root: &VaultRoot,
        (kind, format): (&str, u32),
    ) -> Option<Vec<u8>> {
        let expected = Header::new(root, kind, format)?;
        let content = self.read(&expected)?;
        let (header, content) = postcard::take_from_bytes::<Header>(&content).ok()?;
        let bytes: &[u8] = postcard::from_bytes(content).ok()?;
        (header == expected).then(|| bytes.to_vec())
    }
}

impl Index {
    /// The saved index; `None` if there is none that is valid.
    pub(super) fn load(root: &VaultRoot, cache: &CacheFolder) -> Option<Self> {
        let expected = Header::new(root, KIND, FORMAT)?;
        let content = cache.read(&expected)?;
        let (header, content) = postcard::take_from_bytes::<Header>(&content).ok()?;
        if header != expected {
            return None;
        }
        let LoadedIndex { paths, files, words } = postcard::from_bytes(content).ok()?;
        if !words.is_sound(paths.len()) {
            return None;
        }
        let path = |path: Option<String>| path.map(|path| VaultPath::from_disk(&path)).transpose();
        let paths: Result<Vec<_>, _> = paths.into_iter().map(path).collect();
        let names = FileNames::from_ids(paths.ok()?);
        let mut index = Self { names, words, ..Self::default() };
        for indexed in files {
            index.names.path(indexed.file)?;
            if indexed.entry.is_some_and(|entry| index.words.file_of(entry) != Some(indexed.file)) {
                return None;
            }
            index.insert(indexed);
        }
        index.saved = index.changes;
        Some(index)
    }

    /// Saves the index if it has changed, and returns the number of changes that were saved. Nothing
    /// depends on success.
    pub(super) fn save(&self, root: &VaultRoot, cache: &CacheFolder) -> Option<u64> {
        (self.changes != self.saved).then_some(())?;
        let header = Header::new(root, KIND, FORMAT)?;
        let paths = self.names.paths_by_id().map(|path| path.map(VaultPath::as_str)).collect();
        let files = self.files.iter().flatten().collect();
        cache.write(&header, &Saved { paths, files, words: &self.words }).ok()?;
        cache.prune();
        Some(self.changes)
    }
}
