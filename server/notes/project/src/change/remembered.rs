//! Creations that are remembered, so that a repeated batch creates nothing twice.
//!
//! They are kept in a file of the user's own beside the journal of the vault. A creation is recorded before
//! it is made and confirmed afterwards. If the process dies in between, the note tells whether it was made.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, Etag, Vault, VaultError, VaultPath};

use super::Changed;
use crate::error::{ProjectError, Result};
use crate::model::EntityKind;
use crate::workspace::Workspace;

/// Most creations that are remembered; the oldest are forgotten first.
const MOST: usize = 10_000;

/// What a creation is given: the kind, the fields and the body.
pub(super) type Payload<'a> = (EntityKind, &'a Properties, &'a str);

/// A creation that is about to be made.
pub(super) struct Creation<'a> {
    pub(super) client_id: &'a str,
    pub(super) payload: Payload<'a>,
    pub(super) made: Changed,
}

/// The creations of a workspace that are remembered, for one caller.
pub(super) struct Remembered<'a> {
    vault: &'a Vault,
    /// The name of the file.
    file: String,
    owner: String,
    entries: IndexMap<String, Entry>,
}

/// Creations that were recorded before they were made.
pub(super) struct Recorded(Vec<(String, Entry)>);

/// A creation by the hash of its owner and its client id. Neither is in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    /// The hash of what it was given.
    payload: String,
    id: String,
    path: VaultPath,
    /// The etag of the new note.
    etag: String,
    /// Whether it is known that the note was created.
    confirmed: bool,
}

impl Workspace {
    /// The creations that are remembered. The caller has the right to write.
    ///
    /// # Errors
    /// `Memory` if they cannot be read.
    pub(super) fn load_remembered(&self, principal: &str) -> Result<Remembered<'_>> {
        let file = format!(
            "created-{}",
            hash([self.name().as_bytes(), self.folder().as_str().as_bytes()])
        );
        let kept = self.vault().private_file(&file).map_err(ProjectError::Memory)?;
        // A file that is not valid was not written by this program.
        let entries = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let vault = self.vault();
        let mut remembered = Remembered {
            vault,
            file,
            owner: principal.to_owned(),
            entries: entries.unwrap_or_default(),
        };
        remembered.settle_recorded()?;
        Ok(remembered)
    }
}

impl Workspace {
    /// Records that creations were made. If that fails, the next batch finds it out.
    pub(super) fn confirm_made(&self, recorded: Recorded, cancel: CancelCheck<'_>) {
        if recorded.0.is_empty() {
            return;
        }
        let plan = || {
            let mut remembered = self.load_remembered("")?;
            let confirmed = recorded
                .0
                .into_iter()
                .map(|(key, entry)| (key, Entry { confirmed: true, ..entry }));
            remembered.entries.extend(confirmed);
            remembered.save()?;
            Ok::<_, ProjectError>((Vec::new(), ()))
        };
        // Other processes record creations, too, so this needs the right to write.
        if let Err(error) = self.vault().transaction(plan, cancel) {
            tracing::warn!(%error, "what a batch has created could not be recorded");
        }
    }
}

impl Remembered<'_> {
    /// Finds out which of the recorded creations were made.
    fn settle_recorded(&mut self) -> Result<()> {
        let mut gone = Vec::new();
        for (key, entry) in self.entries.iter_mut().filter(|(_, entry)| !entry.confirmed) {
            let current = match self.vault.read(&entry.path, Some(0)) {
                Ok(note) => Some(note.etag),
                Err(VaultError::NotFound { .. } | VaultError::NotText { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            if current.is_some_and(|etag| etag.as_str() == entry.etag) {
                entry.confirmed = true;
            } else {
                gone.push(key.clone());
            }
        }
        self.entries.retain(|key, _| !gone.contains(key));
        Ok(())
    }

    /// What an earlier creation with this client id and payload has made.
    ///
    /// # Errors
    /// `CreatedOtherwise` if its payload was another.
    pub(super) fn find(&self, client_id: &str, payload: Payload<'_>) -> Result<Option<Changed>> {
        let Some(entry) = self.entries.get(&self.key(client_id)) else { return Ok(None) };
        let id = entry.id.parse()?;
        if entry.payload != fingerprint(payload) {
            return Err(ProjectError::CreatedOtherwise { client_id: client_id.to_owned(), id });
        }
        Ok(Some(Changed { id, path: entry.path.clone(), etag: Etag::from(entry.etag.as_str()) }))
    }

    /// Records creations before they are made. Returns them, to be confirmed.
    ///
    /// # Errors
    /// `Memory`
    pub(super) fn record(&mut self, creations: &[Creation<'_>]) -> Result<Recorded> {
        let mut recorded = Vec::with_capacity(creations.len());
        for Creation { client_id, payload, made } in creations {
            let entry = Entry {
                payload: fingerprint(*payload),
                id: made.id.to_string(),
                path: made.path.clone(),
                etag: made.etag.to_string(),
                confirmed: false,
            };
            recorded.push((self.key(client_id), entry));
        }
        if !recorded.is_empty() {
            self.entries.extend(recorded.iter().cloned());
            self.save()?;
        }
        Ok(Recorded(recorded))
    }

    fn save(&mut self) -> Result<()> {
        let excess = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..excess);
        let bytes = serde_json::to_vec(&self.entries).map_err(std::io::Error::other);
        let saved = bytes.and_then(|bytes| self.vault.keep_private_file(&self.file, &bytes));
        // Without a state folder, nothing is remembered.
        saved.map(drop).map_err(ProjectError::Memory)
    }

    fn key(&self, client_id: &str) -> String {
        hash([self.owner.as_bytes(), client_id.as_bytes()])
    }
}

/// A hash of what a creation is given, which does not depend on the order of the fields.
fn fingerprint((kind, data, body): Payload<'_>) -> String {
    let mut data = Json::Object(data.clone());
    data.sort_all_objects();
    hash([kind.name().as_bytes(), data.to_string().as_bytes(), body.as_bytes()])
}

/// The first half of a hash of texts, in hexadecimal.
fn hash<const N: usize>(texts: [&[u8]; N]) -> String {
    let mut digest = Sha256::new();
    for text in texts {
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    }
    let first = digest.finalize().iter().take(16).fold(0, |all, byte| all << 8 | u128::from(*byte));
    format!("{first:032x}")
}
