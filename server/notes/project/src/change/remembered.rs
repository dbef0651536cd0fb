//! Creations that are remembered, so that a repeated batch creates nothing twice.
//!
//! They are kept in a file of the user's own beside the journal of the vault. A creation is recorded before
//! it is made and confirmed afterwards. If the process dies in between, the note tells whether it was made.
//! What is remembered counts only as long as its note is there.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use toolwrit_frontmatter::Properties;
use toolwrit_vault::{CancelCheck, Vault, VaultError, VaultPath};

use super::Changed;
use super::draft::Draft;
use crate::error::{ProjectError, Result};
use crate::model::{Entity, EntityKind, Field};
use crate::project::Project;
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
    /// The name of the batch, if its client ids are its own.
    batch: String,
    now: Timestamp,
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
    /// When it was created, in seconds.
    #[serde(default)]
    at: i64,
    /// Whether it is known that the note was created.
    confirmed: bool,
}

impl Workspace {
    /// The creations that are remembered. The caller has the right to write.
    ///
    /// # Errors
    /// `Memory` if they cannot be read.
    pub(super) fn load_remembered(
        &self,
        principal: &str,
        batch: Option<&str>,
        now: Timestamp,
    ) -> Result<Remembered<'_>> {
        let file = self.memory_file();
        let kept = self.vault().private_file(&file).map_err(ProjectError::Memory)?;
        // A file that is not valid was not written by this program.
        let entries = kept.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let vault = self.vault();
        let mut entries: IndexMap<String, Entry> = entries.unwrap_or_default();
        let oldest = now.as_second().saturating_sub(self.remember().as_secs());
        entries.retain(|_, entry| entry.at > oldest);
        let batch = batch.unwrap_or_default().to_owned();
        let owner = principal.to_owned();
        let mut remembered = Remembered { vault, file, owner, batch, now, entries };
        remembered.settle_recorded()?;
        Ok(remembered)
    }
}

impl Workspace {
    fn memory_file(&self) -> String {
        let hash = hash([self.name().as_bytes(), self.folder().as_str().as_bytes()]);
        format!("created-{hash}")
    }

    /// Forgets creations whose ids are given to new entities now. The caller has the right to write.
    ///
    /// # Errors
    /// `Memory`
    pub(super) fn forget(&self, draft: &Draft<'_>) -> Result<()> {
        let kept = self.vault().private_file(&self.memory_file()).map_err(ProjectError::Memory)?;
        let Some(text) = kept else { return Ok(()) };
        let text = String::from_utf8_lossy(&text);
        let new: Vec<String> = draft.new_ids().map(|id| id.to_string()).collect();
        if !new.iter().any(|id| text.contains(&format!("\"{id}\""))) {
            return Ok(());
        }
        let mut remembered = self.load_remembered("", None, draft.now())?;
        remembered.entries.retain(|_, entry| !new.contains(&entry.id));
        remembered.save()
    }

    /// Records that creations were made. If that fails, the next batch finds it out.
    pub(super) fn confirm_made(&self, recorded: Recorded, now: Timestamp, cancel: CancelCheck<'_>) {
        if recorded.0.is_empty() {
            return;
        }
        let plan = || {
            let mut remembered = self.load_remembered("", None, now)?;
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

    /// What an earlier creation with this client id and payload has made, as it is now; `None` if it is gone.
    ///
    /// # Errors
    /// `CreatedOtherwise` if its payload was another, `Unreadable` if its note cannot be read now.
    pub(super) fn find(
        &self,
        client_id: &str,
        payload: Payload<'_>,
        project: &Project,
    ) -> Result<Option<Changed>> {
        let Some(entry) = self.entries.get(&self.key(client_id)) else { return Ok(None) };
        let Ok(id) = project.parse_id(&entry.id) else { return Ok(None) };
        let entity = match project.require_entity(id) {
            Ok(entity) => entity,
            Err(ProjectError::NoSuchEntity { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let etag = match self.vault.read(&entity.path, Some(0)) {
            Ok(note) => note.etag,
            Err(VaultError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if etag.as_str() != entry.etag && !entry.has_made(entity) {
            return Ok(None);
        }
        if entry.payload != fingerprint(payload) {
            return Err(ProjectError::CreatedOtherwise { client_id: client_id.to_owned(), id });
        }
        Ok(Some(Changed { id, path: entity.path.clone(), etag }))
    }

    /// Records creations before they are made. Returns them, to be confirmed.
    ///
    /// # Errors
    /// `Memory`
    pub(super) fn record(&mut self, creations: &[Creation<'_>]) -> Result<Recorded> {
        let mut recorded = Vec::with_capacity(creations.len());
        // An id that is given again is that of another entity now.
        let new = |id: &str| creations.iter().any(|creation| creation.made.id.to_string() == id);
        self.entries.retain(|_, entry| !new(&entry.id));
        for Creation { client_id, payload, made } in creations {
            let entry = Entry {
                payload: fingerprint(*payload),
                id: made.id.to_string(),
                path: made.path.clone(),
                etag: made.etag.to_string(),
                at: self.now.as_second(),
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
        hash([self.owner.as_bytes(), self.batch.as_bytes(), client_id.as_bytes()])
    }
}

impl Entry {
    /// Whether an entity, which may have been edited since, is the one that was made: it was created at the same time.
    fn has_made(&self, entity: &Entity) -> bool {
        let created = entity.properties.get(Field::Created.name()).and(entity.created);
        created.is_some_and(|created| created.as_second() == self.at)
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
