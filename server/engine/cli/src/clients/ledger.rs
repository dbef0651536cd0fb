//! What was installed into clients, in the user's data folder: a record for each server in a file, and the bytes that the file had
//! before. These may have secrets, so only the user may read them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Scope;
use super::replace;
use toolwrit_core::folders;

/// What one installation has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The name of the client.
    pub(crate) client: String,
    /// The name of the server in the file.
    pub(crate) server: String,
    pub(crate) scope: Scope,
    pub(crate) file: PathBuf,
    /// How to undo it exactly; `None` if the file had changed between two installations.
    pub(crate) exact: Option<Exact>,
    /// Whether the client's own command wrote the file.
    pub(crate) by_client: bool,
}

/// The digests of a file before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Exact {
    /// SHA-256 of the bytes before; `None` if there was no file.
    pub(crate) before: Option<String>,
    /// SHA-256 of the bytes after.
    pub(crate) after: String,
}

/// The folder of the records.
#[derive(Debug, Clone)]
pub(crate) struct Ledger(PathBuf);

impl Ledger {
    /// `None` if the user has no home folder.
    pub(crate) fn of_user() -> Option<Self> {
        folders::data().map(|data| Self(data.join("toolwrit/clients")))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// All records, in the order of clients and servers. What cannot be read is left out.
    pub(crate) fn records(&self) -> Vec<Record> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let files = entries.map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|it| it == "json"));
        let mut records: Vec<Record> = files.filter_map(|path| read(&path)).collect();
        records.sort_by(|a, b| (&a.client, &a.server).cmp(&(&b.client, &b.server)));
        records
    }

    /// The record of a server in a file.
    pub(crate) fn find(&self, file: &Path, server: &str) -> Option<Record> {
        read(&self.path(file, server, "json"))
    }

    /// Adds a record, after the bytes that the file has before it is changed; `None` for no new bytes.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn add(&self, record: &Record, before: Option<&[u8]>) -> io::Result<()> {
        let Record { file, server, .. } = record;
        if let Some(before) = before {
            replace::write(&self.path(file, server, "before"), before, || Ok(()))?;
        }
        let text = serde_json::to_vec(record)?;
        replace::write(&self.path(file, server, "json"), &text, || Ok(()))
    }

    /// The bytes that the file of a record had before; `None` if they are lost.
    pub(crate) fn bytes_before(&self, record: &Record) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(&record.file, &record.server, "before")).ok()?;
        let wanted = record.exact.as_ref()?.before.as_ref()?;
        (digest(&bytes) == *wanted).then_some(bytes)
    }

    /// Removes a record and its bytes.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub(crate) fn remove(&self, record: &Record) -> io::Result<()> {
        for kind in ["json", "before"] {
            match fs::remove_file(self.path(&record.file, &record.server, kind)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, file: &Path, server: &str, kind: &str) -> PathBuf {
        let id = digest(format!("{}\0{server}", file.display()).as_bytes());
        self.0.join(format!("{}.{kind}", &id[..16]))
    }
}

fn read(path: &Path) -> Option<Record> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// SHA-256 in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
