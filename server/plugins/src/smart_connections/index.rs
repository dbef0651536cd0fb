//! The vectors of all sections.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolwrit_retrieval::{PassageReader, PassageVector, PieceWeights, Pieces};
use toolwrit_vault::document::Span;
use toolwrit_vault::{CancelCheck, Revision, Vault, VaultError, VaultPath};

use super::sections::sections;

/// The name of the saved index, and the version of its format.
const SAVED: (&str, u32) = ("meanings", 1);
/// The weights are made anew when the vault has grown by this factor since.
const GROWTH: usize = 2;

/// The vectors of a vault. Notes that do not change are shared with the next version.
#[derive(Default)]
pub(super) struct Index {
    notes: HashMap<VaultPath, Arc<Note>>,
    /// What each note was when it was read.
    revisions: HashMap<VaultPath, Revision>,
    weights: Option<Arc<Weights>>,
}

#[derive(Serialize, Deserialize)]
struct Weights {
    pieces: PieceWeights,
    /// How many sections they were made from.
    sections: usize,
}

#[derive(Serialize, Deserialize)]
struct Note {
    /// A hash of the text.
    version: u64,
    /// The start and the end of each section.
    spans: Vec<(u32, u32)>,
    /// The vectors of the sections, one after another.
    vectors: Vec<u8>,
}

/// The section of a note that is nearest to a query.
pub(super) struct Near<'a> {
    pub(super) path: &'a VaultPath,
    pub(super) span: Span,
    pub(super) similarity: f32,
}

/// A note that is read, before its vectors are made.
struct Read {
    path: VaultPath,
    version: u64,
    spans: Vec<(u32, u32)>,
    pieces: Vec<Pieces>,
}

impl Index {
    /// The saved index; `None` if there is none.
    pub(super) fn load(vault: &Vault) -> Option<Self> {
        let bytes = vault.load_derived(SAVED)?;
        let (weights, notes): (Weights, Vec<(VaultPath, Note)>) =
            postcard::from_bytes(&bytes).ok()?;
        let is_sound = |note: &Note| note.vectors.len() == note.spans.len() * PassageVector::SIZE;
        if !weights.pieces.is_sound() || !notes.iter().all(|(_, note)| is_sound(note)) {
            return None;
        }
        let notes = notes.into_iter().map(|(path, note)| (path, Arc::new(note))).collect();
        Some(Self { notes, revisions: HashMap::new(), weights: Some(Arc::new(weights)) })
    }

    fn save(&self, vault: &Vault) {
        let Some(weights) = &self.weights else { return };
        let notes: Vec<_> = self.notes.iter().map(|(path, note)| (path, &**note)).collect();
        if let Ok(bytes) = postcard::to_stdvec(&(&**weights, notes)) {
            vault.save_derived(SAVED, &bytes);
        }
    }

    /// The index with the changes of the vault; `None` if nothing has changed.
    pub(super) fn updated(
        &self,
        vault: &Vault,
        cancelled: CancelCheck<'_>,
    ) -> Result<Option<Self>, VaultError> {
        let (current, changed, read) = self.read_changes(vault, cancelled)?;
        if changed.is_empty() && current.len() == self.revisions.len() {
            return Ok(None);
        }
        let mut notes: HashMap<_, _> = current
            .keys()
            .filter_map(|path| Some((path.clone(), Arc::clone(self.notes.get(path)?))))
            .collect();
        for path in &changed {
            notes.remove(path);
        }
        for note in &read {
            if let Some(known) = self.notes.get(&note.path).filter(|it| it.version == note.version)
            {
                notes.insert(note.path.clone(), Arc::clone(known));
            }
        }
        let count = notes.values().map(|note| note.spans.len()).sum::<usize>()
            + read.iter().map(|note| note.pieces.len()).sum::<usize>();
        let weights = self.weights.clone().filter(|weights| count <= GROWTH * weights.sections);
        let Some(weights) = weights else {
            // Everything is read again, with new weights.
            let fresh = Self::default();
            let all =
                if self.notes.is_empty() { read } else { fresh.read_changes(vault, cancelled)?.2 };
            let pieces = PieceWeights::of(all.iter().flat_map(|note| &note.pieces));
            let sections = all.iter().map(|note| note.pieces.len()).sum();
            let weights = Arc::new(Weights { pieces, sections });
            let notes =
                all.iter().map(|note| (note.path.clone(), note.vectors(&weights))).collect();
            let new = Self { notes, revisions: current, weights: Some(weights) };
            new.save(vault);
            return Ok(Some(new));
        };
        let mut is_new = notes.len() != self.notes.len();
        for note in &read {
            notes.entry(note.path.clone()).or_insert_with(|| {
                is_new = true;
                note.vectors(&weights)
            });
        }
        let new = Self { notes, revisions: current, weights: Some(weights) };
        if is_new {
            new.save(vault);
        }
        Ok(Some(new))
    }

    /// The revisions of all notes, the notes that have changed, and what they are now.
    #[expect(clippy::type_complexity, reason = "three results of one walk")]
    fn read_changes(
        &self,
        vault: &Vault,
        cancelled: CancelCheck<'_>,
    ) -> Result<(HashMap<VaultPath, Revision>, Vec<VaultPath>, Vec<Read>), VaultError> {
        let snapshot = vault.snapshot(cancelled)?;
        let current: HashMap<VaultPath, Revision> =
            snapshot.notes().map(|(path, revision)| (path.clone(), revision)).collect();
        let is_changed = |path: &&VaultPath| self.revisions.get(*path) != current.get(*path);
        let mut changed: Vec<VaultPath> = current.keys().filter(is_changed).cloned().collect();
        changed.sort_unstable();
        let mut reader = PassageReader::default();
        let mut read = Vec::with_capacity(changed.len());
        for (path, source) in snapshot.read(&changed) {
            if cancelled() {
                return Err(VaultError::Cancelled);
            }
            let Some(source) = source else { continue };
            let known = self.notes.get(path).map(|note| note.version);
            read.push(Read::of(path, &source.text, known, &mut reader));
        }
        drop(snapshot);
        Ok((current, changed, read))
    }

    /// For each note, its section that is nearest to the query, unordered. Empty if the model knows none of the
    /// query's words.
    pub(super) fn nearest(&self, query: &str) -> impl Iterator<Item = Near<'_>> {
        let vector = self
            .weights
            .as_ref()
            .map(|weights| weights.pieces.vector(&PassageReader::default().read(query)));
        let query = vector.map(|vector| (vector, vector.length())).filter(|(_, it)| *it > 0.0);
        self.notes.iter().filter_map(move |(path, note)| {
            let (vector, length) = query.as_ref()?;
            note.nearest(vector, *length).map(|(span, similarity)| Near { path, span, similarity })
        })
    }
}

impl Read {
    /// Reads a note. If it still has the known version, it gets no pieces.
    fn of(path: &VaultPath, text: &str, known: Option<u64>, reader: &mut PassageReader) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let version = hasher.finish();
        let (mut spans, mut pieces) = (Vec::new(), Vec::new());
        if known != Some(version) {
            for section in sections(text) {
                let start = u32::try_from(section.span.start).unwrap_or(u32::MAX);
                let end = u32::try_from(section.span.end).unwrap_or(u32::MAX);
                spans.push((start, end));
                let headings = section.headings.join(" ");
                pieces.push(reader.read(&format!("{} {headings} {}", path.stem(), section.text)));
            }
        }
        Self { path: path.clone(), version, spans, pieces }
    }

    fn vectors(&self, weights: &Weights) -> Arc<Note> {
        let vectors = self.pieces.iter().flat_map(|it| weights.pieces.vector(it).to_bytes());
        Arc::new(Note {
            version: self.version,
            spans: self.spans.clone(),
            vectors: vectors.collect(),
        })
    }
}

impl Note {
    fn nearest(&self, query: &PassageVector, length: f32) -> Option<(Span, f32)> {
        let (vectors, _) = self.vectors.as_chunks::<{ PassageVector::SIZE }>();
        let similarity = |bytes: &[u8; PassageVector::SIZE]| {
            let vector = PassageVector::from_bytes(*bytes);
            #[expect(clippy::cast_precision_loss, reason = "precise enough")]
            let dot = vector.dot(query) as f32;
            dot / (vector.length() * length).max(f32::MIN_POSITIVE)
        };
        let scores = vectors.iter().map(similarity).enumerate();
        let (at, best) = scores.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let (start, end) = *self.spans.get(at)?;
        Some((Span::new(start as usize, end as usize), best))
    }
}
