//! The vectors of all sections.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolwrit_retrieval::{PassageReader, PassageVector, PieceCounts, PieceWeights, Pieces};
use toolwrit_vault::document::Span;
use toolwrit_vault::{CancelCheck, NoteSource, Revision, Vault, VaultError, VaultPath};

use super::sections::find_sections;

/// The name of the saved index, and the version of its format.
const SAVED: (&str, u32) = ("meanings", 2);
/// The weights are made anew when the vault has grown by this factor since.
const GROWTH: usize = 2;
/// The index is saved again when one note in so many has changed since.
const UNSAVED: usize = 50;
/// How many notes are read before changes of the vault are let in.
const READ: usize = 256;

/// The vectors of a vault. Notes that do not change are shared with the next version.
#[derive(Default)]
pub(super) struct Index {
    /// The changes of the vault that are included; `None` if it was not compared with the vault yet.
    changes: Option<u64>,
    notes: HashMap<VaultPath, Known>,
    weights: Option<Arc<Weights>>,
    /// How many notes have changed since it was saved.
    unsaved: usize,
}

/// A note of the index.
#[derive(Clone)]
struct Known {
    /// What the note was when it was read; `None` if the index was loaded, and it was not read since.
    revision: Option<Revision>,
    note: Arc<Note>,
}

#[derive(Serialize, Deserialize)]
struct Weights {
    pieces: PieceWeights,
    /// How many notes they were made from.
    notes: usize,
}

#[derive(Serialize, Deserialize)]
struct Note {
    /// A hash of the text.
    version: u64,
    sections: Box<[Section]>,
    /// The vectors of the sections, one after another.
    vectors: Box<[u8]>,
}

/// Where a section is in its note, in bytes, and how long its vector is.
#[derive(Serialize, Deserialize)]
struct Section {
    start: u32,
    end: u32,
    length: f32,
}

/// The section of a note that is nearest to a query.
pub(super) struct Near<'a> {
    pub(super) path: &'a VaultPath,
    pub(super) span: Span,
    pub(super) similarity: f32,
}

impl Index {
    /// The saved index; `None` if there is none.
    pub(super) fn load(vault: &Vault) -> Option<Self> {
        let bytes = vault.load_derived(SAVED)?;
        let (weights, notes): (Weights, Vec<(VaultPath, Note)>) =
            postcard::from_bytes(&bytes).ok()?;
        let is_sound =
            |note: &Note| note.vectors.len() == note.sections.len() * PassageVector::SIZE;
        if !weights.pieces.is_sound() || !notes.iter().all(|(_, note)| is_sound(note)) {
            return None;
        }
        let known = |note| Known { revision: None, note: Arc::new(note) };
        let notes = notes.into_iter().map(|(path, note)| (path, known(note))).collect();
        Some(Self { notes, weights: Some(Arc::new(weights)), ..Self::default() })
    }

    fn save(&mut self, vault: &Vault) {
        let Some(weights) = &self.weights else { return };
        let notes: Vec<_> = self.notes.iter().map(|(path, known)| (path, &*known.note)).collect();
        if let Ok(bytes) = postcard::to_stdvec(&(&**weights, notes)) {
            vault.save_derived(SAVED, &bytes);
        }
        self.unsaved = 0;
    }

    /// The index with the changes of the vault; `None` if nothing has changed.
    pub(super) fn update(
        &self,
        vault: &Vault,
        cancelled: CancelCheck<'_>,
    ) -> Result<Option<Self>, VaultError> {
        let (changes, current) = {
            let snapshot = vault.snapshot(cancelled)?;
            if self.changes == Some(snapshot.changes()) {
                return Ok(None);
            }
            let notes = snapshot.notes().map(|(path, revision)| (path.clone(), revision));
            (snapshot.changes(), notes.collect::<HashMap<VaultPath, Revision>>())
        };
        let is_outgrown = |weights: &Weights| current.len() > GROWTH * weights.notes;
        let (weights, mut notes) = match &self.weights {
            Some(weights) if !is_outgrown(weights) => (Arc::clone(weights), self.notes.clone()),
            _ => (Arc::new(Weights::build(vault, &current, cancelled)?), HashMap::new()),
        };
        let before = notes.len();
        notes.retain(|path, _| current.contains_key(path));
        let mut unsaved = self.unsaved + before - notes.len();
        let mut reader = PassageReader::default();
        let is_changed = |path: &&VaultPath| {
            notes.get(*path).and_then(|note| note.revision) != Some(current[*path])
        };
        let stale = sort_by_path(current.keys().filter(is_changed));
        read(vault, &stale, cancelled, |path, source| {
            let revision = current.get(path).copied();
            let Some(source) = source else {
                notes.remove(path);
                return;
            };
            let version = hash_text(&source.text);
            let known = notes.get(path).filter(|known| known.note.version == version);
            let note = if let Some(known) = known {
                Arc::clone(&known.note)
            } else {
                unsaved += 1;
                Arc::new(Note::new(path, &source.text, &weights, &mut reader))
            };
            notes.insert(path.clone(), Known { revision, note });
        })?;
        let mut new = Self { changes: Some(changes), notes, weights: Some(weights), unsaved };
        if new.unsaved * UNSAVED >= new.notes.len().max(1) {
            new.save(vault);
        }
        Ok(Some(new))
    }

    /// For each note, its section that is nearest to the query, unordered. Empty if the model knows none of the
    /// query's words.
    pub(super) fn find_nearest_per_note(&self, query: &str) -> impl Iterator<Item = Near<'_>> {
        let vector = self
            .weights
            .as_ref()
            .map(|weights| weights.pieces.vector(&PassageReader::default().read(query)));
        let query =
            vector.map(|vector| (vector, vector.length())).filter(|(_, length)| *length > 0.0);
        self.notes.iter().filter_map(move |(path, known)| {
            let (vector, length) = query.as_ref()?;
            let (span, similarity) = known.note.find_nearest(vector, *length)?;
            Some(Near { path, span, similarity })
        })
    }
}

impl Weights {
    /// The weights for all notes of a vault.
    fn build(
        vault: &Vault,
        notes: &HashMap<VaultPath, Revision>,
        cancelled: CancelCheck<'_>,
    ) -> Result<Self, VaultError> {
        let mut counts = PieceCounts::default();
        let mut reader = PassageReader::default();
        read(vault, &sort_by_path(notes.keys()), cancelled, |path, source| {
            let Some(source) = source else { return };
            for (_, pieces) in read_passages(path, &source.text, &mut reader) {
                counts.add(&pieces);
            }
        })?;
        Ok(Self { pieces: counts.weights(), notes: notes.len() })
    }
}

impl Note {
    fn new(path: &VaultPath, text: &str, weights: &Weights, reader: &mut PassageReader) -> Self {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (mut sections, mut vectors) = (Vec::new(), Vec::new());
        for (span, pieces) in read_passages(path, text, reader) {
            let vector = weights.pieces.vector(&pieces);
            let (start, end) = (offset(span.start), offset(span.end));
            sections.push(Section { start, end, length: vector.length() });
            vectors.extend(vector.to_bytes());
        }
        Self { version: hash_text(text), sections: sections.into(), vectors: vectors.into() }
    }

    fn find_nearest(&self, query: &PassageVector, length: f32) -> Option<(Span, f32)> {
        let (vectors, _) = self.vectors.as_chunks::<{ PassageVector::SIZE }>();
        let similarity = |(section, bytes): (&Section, &[u8; PassageVector::SIZE])| {
            #[expect(clippy::cast_precision_loss, reason = "precise enough")]
            let dot = PassageVector::from_bytes(*bytes).dot(query) as f32;
            dot / (section.length * length).max(f32::MIN_POSITIVE)
        };
        let scores = self.sections.iter().zip(vectors).map(similarity).enumerate();
        let (at, best) = scores.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let Section { start, end, .. } = self.sections.get(at)?;
        Some((Span::new(*start as usize, *end as usize), best))
    }
}

fn hash_text(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The sections of a note, and what their vectors are made of.
fn read_passages<'a>(
    path: &'a VaultPath,
    text: &'a str,
    reader: &'a mut PassageReader,
) -> impl Iterator<Item = (Span, Pieces)> {
    find_sections(text).into_iter().map(move |section| {
        let headings = section.headings.join(" ");
        (section.span, reader.read(&format!("{} {headings} {}", path.stem(), section.text)))
    })
}

/// Sorts paths into the order in which they are read fastest.
fn sort_by_path<'a>(paths: impl Iterator<Item = &'a VaultPath>) -> Vec<VaultPath> {
    let mut paths: Vec<VaultPath> = paths.cloned().collect();
    paths.sort_unstable();
    paths
}

/// Reads notes one after another. Those that no longer exist are `None`.
fn read(
    vault: &Vault,
    paths: &[VaultPath],
    cancelled: CancelCheck<'_>,
    mut each: impl FnMut(&VaultPath, Option<NoteSource>),
) -> Result<(), VaultError> {
    for paths in paths.chunks(READ) {
        let snapshot = vault.snapshot(cancelled)?;
        for (path, source) in snapshot.read(paths) {
            if cancelled() {
                return Err(VaultError::Cancelled);
            }
            each(path, source);
        }
    }
    Ok(())
}
