//! Smart Connections: finds passages of notes by meaning.
//!
//! The plugin's own vectors come from models whose weights this server does not have, so a query could not be
//! compared with them. The server makes its own vectors, from the static model of [`toolwrit_retrieval`], for each
//! section of each note. They are made once, follow the changes of the vault, and are kept in the user's cache.
//! What the plugin has saved in `.smart-env` is only examined, see [`SmartEnv`].

mod index;
mod sections;
mod smart_env;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, TryLockError};
use std::thread;

use toolwrit_text::shorten::line;
use toolwrit_vault::{CancelCheck, Folder, Vault, VaultError, VaultPath};

use index::Index;

pub use smart_env::{BrokenLine, SmartEnv};

/// How many notes the words of a query are searched in, to rank these higher.
const WORD_HITS: usize = 50;
/// How much the best note by words gains. Similarities are at most 1.
const WORD_SHARE: f32 = 0.5;
/// How fast that gain falls with the rank.
const WORD_RANK: f32 = 10.0;
/// How many characters an excerpt has at most.
const EXCERPT: usize = 300;
/// The similarity below which a passage without the words of the query is not returned.
const LEAST: f32 = 0.3;

/// The search by meaning in a vault. Clones share one index.
#[derive(Clone)]
pub struct SmartConnections {
    vault: Vault,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The last complete index; `None` until the first one is built.
    index: RwLock<Option<Arc<Index>>>,
    /// Held while the index is brought up to date.
    updating: Mutex<()>,
}

/// A search.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    /// What to find, in words.
    pub text: &'a str,
    /// How many passages to return at most; one for each note.
    pub limit: usize,
    /// Only notes in these folders; everywhere if there are none.
    pub folders: &'a [Folder],
    /// No notes in these folders.
    pub exclude_folders: &'a [Folder],
}

/// A passage that fits a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The note.
    pub path: VaultPath,
    /// The headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// The start of its text, in one line.
    pub excerpt: String,
    /// How well it fits; higher is better. Only comparable within a search.
    pub score: f32,
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The first index is not complete yet.
    #[error("the index of meanings is being built; try again in a moment")]
    Building,
    /// The vault cannot be read, or the search was cancelled.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl SmartConnections {
    /// The search in this vault. Reads nothing yet.
    pub fn new(vault: Vault) -> Self {
        Self { vault, shared: Arc::default() }
    }

    /// Starts to build the index on a thread, so that the first search need not wait for it.
    pub fn start(&self) {
        let searcher = self.clone();
        // Without a thread the first search builds it.
        let _ = thread::Builder::new().name("toolwrit-meanings".to_owned()).spawn(move || {
            if let Err(error) = searcher.update(&|| false) {
                tracing::warn!(%error, "the index of meanings could not be built");
            }
        });
    }

    /// Finds the passages that mean what the query means, best first.
    ///
    /// # Errors
    /// `Building` while another thread builds the first index, `Vault`.
    pub fn search(
        &self,
        query: &Query<'_>,
        cancelled: CancelCheck<'_>,
    ) -> Result<Vec<Passage>, SearchError> {
        let index = self.update(cancelled)?;
        let is_wanted = |path: &VaultPath| {
            let is_in = |folder: &Folder| path.is_below(folder);
            (query.folders.is_empty() || query.folders.iter().any(is_in))
                && !query.exclude_folders.iter().any(is_in)
        };
        let by_words = self.score_by_words(query.text, cancelled)?;
        let gain = |path: &VaultPath| Some(WORD_SHARE / (1.0 + by_words.get(path)? / WORD_RANK));
        let mut found: Vec<_> = index
            .find_nearest_per_note(query.text)
            .filter(|near| is_wanted(near.path))
            .filter_map(|near| match gain(near.path) {
                Some(gain) => Some((near.similarity + gain, near)),
                None => (near.similarity >= LEAST).then_some((near.similarity, near)),
            })
            .collect();
        let order = |(a, near): &(f32, index::Near<'_>), (b, other): &(f32, index::Near<'_>)| {
            b.total_cmp(a).then_with(|| near.path.as_str().cmp(other.path.as_str()))
        };
        if query.limit < found.len() {
            found.select_nth_unstable_by(query.limit, order);
            found.truncate(query.limit);
        }
        found.sort_unstable_by(order);
        let passage = |(score, near): (f32, index::Near<'_>)| {
            let note = self.vault.read(near.path, None).ok()?;
            let (headings, text) = sections::find_passage(&note.content, near.span)?;
            Some(Passage { path: near.path.clone(), headings, excerpt: line(text, EXCERPT), score })
        };
        // A note that has just been deleted is left out.
        Ok(found.into_iter().filter_map(passage).collect())
    }

    /// The notes with the words of a query, with their ranks from 0.
    fn score_by_words(
        &self,
        text: &str,
        cancelled: CancelCheck<'_>,
    ) -> Result<HashMap<VaultPath, f32>, SearchError> {
        let found = match self.vault.rank(text, &Folder::ROOT, WORD_HITS, cancelled) {
            Err(VaultError::BadPattern { .. }) => Vec::new(),
            found => found?,
        };
        let ranks = std::iter::successors(Some(0.0), |rank| Some(rank + 1.0));
        Ok(found.into_iter().zip(ranks).collect())
    }

    /// Brings the index up to date, and returns it. If another thread is doing that, the index before.
    fn update(&self, cancelled: CancelCheck<'_>) -> Result<Arc<Index>, SearchError> {
        let last = || self.shared.index.read().unwrap_or_else(PoisonError::into_inner).clone();
        let _updating = match self.shared.updating.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => return last().ok_or(SearchError::Building),
        };
        let index = match last() {
            Some(index) => index,
            None => Arc::new(Index::load(&self.vault).unwrap_or_default()),
        };
        let index = match index.update(&self.vault, cancelled)? {
            Some(new) => Arc::new(new),
            None => index,
        };
        *self.shared.index.write().unwrap_or_else(PoisonError::into_inner) =
            Some(Arc::clone(&index));
        Ok(index)
    }
}

impl std::fmt::Debug for SmartConnections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SmartConnections").field(&self.vault).finish()
    }
}
