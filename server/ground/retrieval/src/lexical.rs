//! BM25F: scores the words of documents by their field and rarity.
//! After Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::document::{Analysis, FIELD_COUNT};
use crate::words::Word;

const SATURATION: f32 = 1.4;
const LENGTH_NORM: f32 = 0.6;
/// In the order of [`crate::document::FIELD_COUNT`]; tuned on published tool-retrieval sets.
const WEIGHTS: [f32; FIELD_COUNT] = [3.0, 1.5, 1.0, 0.6, 0.35, 1.0, 0.6, 1.0];
/// The fields that say what a document is, in the same order. The others are its parameters and its category.
const OWN: [bool; FIELD_COUNT] = [true, true, true, false, false, false, true, true];

/// The weight of a query word that no document contains. It may be irrelevant, such as a name.
const UNSEEN: f32 = 0.5;

/// The position of a term.
pub(crate) type TermId = usize;

/// An inverted index of terms.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    ids: HashMap<String, TermId>,
    terms: Vec<Term>,
    documents: usize,
    /// The mean length of each field, among documents in which it is not empty.
    lengths: [f32; FIELD_COUNT],
}

#[derive(Debug, Default)]
struct Term {
    /// The words with this stem, and the number of their occurrences.
    surfaces: Vec<(String, usize)>,
    /// The documents that contain the term.
    postings: Vec<Posting>,
}

/// A term in a document.
#[derive(Debug, Clone, Copy)]
struct Posting {
    document: usize,
    /// Its weighted frequency.
    frequency: f32,
    /// Whether a field has it that says what the document is.
    is_own: bool,
}

impl Lexicon {
    /// Creates an empty index with the mean lengths of fields.
    pub(crate) fn for_documents(documents: &[Analysis]) -> Self {
        let lengths = std::array::from_fn(|field| {
            let lengths = documents.iter().map(|document| document.lengths[field]);
            let filled: Vec<usize> = lengths.filter(|length| *length > 0).collect();
            count(filled.iter().sum()) / count(filled.len().max(1))
        });
        Self { lengths, ..Self::default() }
    }

    /// Adds the next document.
    pub(crate) fn add(&mut self, document: &Analysis) {
        let next = self.documents;
        let ids: Vec<TermId> = document.words.iter().map(|word| self.id(word)).collect();
        for (field, words) in document.fields.iter().enumerate() {
            let share = count(document.lengths[field]) / self.lengths[field].max(1.0);
            let norm = 1.0 - LENGTH_NORM + LENGTH_NORM * share;
            let weight = WEIGHTS[field];
            for at in words.iter().map(|at| *at as usize) {
                let posting =
                    Posting { document: next, frequency: weight / norm, is_own: OWN[field] };
                self.terms[ids[at]].count(&document.words[at], posting);
            }
        }
        self.documents += 1;
    }

    fn id(&mut self, word: &Word) -> TermId {
        if let Some(id) = self.ids.get(&word.stem) {
            return *id;
        }
        let next = self.terms.len();
        self.ids.insert(word.stem.clone(), next);
        self.terms.push(Term::default());
        next
    }

    /// The term of a word. `None` if no document contains it.
    pub(crate) fn find(&self, word: &Word) -> Option<TermId> {
        self.find_stem(&word.stem)
    }

    /// The documents that contain the term, with the term's score in each.
    pub(crate) fn impacts(&self, term: TermId) -> impl Iterator<Item = (usize, f32)> {
        let term = &self.terms[term];
        let rarity = rarity(self.documents, term.postings.len());
        let impact = move |tf: f32| rarity * tf * (SATURATION + 1.0) / (tf + SATURATION);
        term.postings.iter().map(move |posting| (posting.document, impact(posting.frequency)))
    }

    /// The documents that contain the term, and whether it is in a field that says what the document is.
    pub(crate) fn holders(&self, term: TermId) -> impl Iterator<Item = (usize, bool)> {
        self.terms[term].postings.iter().map(|posting| (posting.document, posting.is_own))
    }

    /// The term of a stem.
    pub(crate) fn find_stem(&self, stem: &str) -> Option<TermId> {
        self.ids.get(stem).copied()
    }

    /// In how many documents a stem is.
    pub(crate) fn count_holders(&self, stem: &str) -> usize {
        self.find_stem(stem).map_or(0, |term| self.terms[term].postings.len())
    }

    /// All words, with the number of documents that contain their term.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&str, usize)> {
        self.terms.iter().flat_map(|term| {
            let holders = term.postings.len();
            term.surfaces.iter().map(move |(word, _)| (word.as_str(), holders))
        })
    }

    /// The maximum score of a word in a document.
    pub(crate) fn ceiling(&self, word: &Word) -> f32 {
        let Some(term) = self.find(word) else { return self.unseen() };
        rarity(self.documents, self.terms[term].postings.len()) * (SATURATION + 1.0)
    }

    /// The maximum score of a word that no document contains.
    pub(crate) fn unseen(&self) -> f32 {
        UNSEEN * rarity(self.documents, 0) * (SATURATION + 1.0)
    }

    /// The most frequent word of each term, starting with the term `from`.
    pub(crate) fn surfaces(&self, from: TermId) -> impl Iterator<Item = &str> {
        self.terms[from..].iter().map(Term::most_frequent)
    }
}

impl Term {
    fn count(&mut self, word: &Word, posting: Posting) {
        match self.surfaces.iter_mut().find(|(surface, _)| *surface == word.surface) {
            Some((_, times)) => *times += 1,
            None => self.surfaces.push((word.surface.clone(), 1)),
        }
        match self.postings.last_mut() {
            Some(last) if last.document == posting.document => {
                last.frequency += posting.frequency;
                last.is_own |= posting.is_own;
            }
            _ => self.postings.push(posting),
        }
    }

    /// The most frequent word; among equals, the first in alphabetical order.
    fn most_frequent(&self) -> &str {
        let most = self.surfaces.iter().min_by_key(|(word, times)| (Reverse(*times), word));
        most.map_or("", |(surface, _)| surface)
    }
}

/// The inverse document frequency.
pub(crate) fn rarity(documents: usize, holders: usize) -> f32 {
    let (documents, holders) = (count(documents), count(holders));
    (1.0 + (documents - holders + 0.5) / (holders + 0.5)).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and documents")]
pub(crate) fn count(count: usize) -> f32 {
    count as f32
}
