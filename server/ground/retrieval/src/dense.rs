//! The meaning of a text as a vector: a weighted sum of the embeddings of its words.

use crate::document::Analysis;
use crate::lexical::rarity;
use crate::model::{DIMENSIONS, ROWS, Row, Vector, add, dot, normalize};

/// Weights of the vectors of the first sentence and of the name, which are added to that of the whole text.
const FIRST_SENTENCE: f32 = 0.5;
const LABEL: f32 = 0.3;
/// The weight of a piece that no document contains. It is rare, but does not distinguish documents.
const UNSEEN: f32 = 0.6;

/// The vectors of documents.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    documents: Vec<Vector>,
    lengths: Vec<f32>,
    asks: Vec<Vec<Vector>>,
    /// The name, and the name with the title, of each document.
    labels: Vec<[Vector; 2]>,
    /// The weight of each piece.
    weights: Vec<f32>,
}

impl Vectors {
    /// Creates an empty set with the weights of pieces. Rare pieces weigh most; a piece in every document
    /// distinguishes none, and weighs 0.
    pub(crate) fn for_documents(documents: &[Analysis]) -> Self {
        let mut holders = vec![0; ROWS];
        for document in documents {
            let mut rows = all_rows(document);
            rows.sort_unstable();
            rows.dedup();
            for row in rows {
                holders[usize::from(row)] += 1;
            }
        }
        let most = rarity(documents.len(), 0);
        let weight = |holders| match holders {
            0 => UNSEEN,
            some => (rarity(documents.len(), some) / most).sqrt(),
        };
        Self { weights: holders.into_iter().map(weight).collect(), ..Self::default() }
    }

    /// Adds the next document. Does not change the weights.
    pub(crate) fn add(&mut self, document: &Analysis) {
        let first = &document.description[..document.first_sentence];
        let short = [&document.label, first].concat();
        let mut sum = self.vector(&all_rows(document));
        for (part, weight) in [(short.as_slice(), FIRST_SENTENCE), (&document.label, LABEL)] {
            let part = self.vector(part);
            for (sum, value) in sum.iter_mut().zip(part) {
                *sum += weight * value;
            }
        }
        self.asks.push(document.asks.iter().map(|ask| self.vector(ask)).collect());
        self.labels.push([self.vector(&document.name), self.vector(&document.label)]);
        self.lengths.push(dot(&sum, &sum).sqrt());
        self.documents.push(sum);
    }

    /// The vector of a text, of length one.
    pub(crate) fn vector(&self, rows: &[Row]) -> Vector {
        self.weighted(rows.iter().map(|row| (*row, 1.0)))
    }

    /// The vector of a text whose pieces have further weights.
    pub(crate) fn weighted(&self, rows: impl Iterator<Item = (Row, f32)>) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for (row, weight) in rows {
            add(row, weight * self.weights[usize::from(row)], &mut sum);
        }
        normalize(sum)
    }

    /// The similarity of a query to each document. May exceed 1, as documents' vectors are not normalized.
    pub(crate) fn scores(&self, query: &Vector) -> Vec<f32> {
        self.documents.iter().map(|document| dot(query, document)).collect()
    }

    /// Converts a score to the cosine of query and document.
    pub(crate) fn cosine(&self, document: usize, score: f32) -> f32 {
        score / self.lengths[document].max(f32::MIN_POSITIVE)
    }

    /// The cosine of a query and each document's nearest ask. The texts of a document without asks are its ask, so that
    /// documents with asks do not displace it.
    pub(crate) fn asks(&self, query: &Vector, scores: &[f32]) -> Vec<f32> {
        let nearest = |(document, asks): (usize, &Vec<Vector>)| match asks.as_slice() {
            [] => self.cosine(document, scores[document]).max(0.0),
            asks => asks.iter().map(|ask| dot(query, ask)).fold(0.0, f32::max),
        };
        self.asks.iter().enumerate().map(nearest).collect()
    }

    /// Whether a document has asks.
    pub(crate) fn has_asks(&self, document: usize) -> bool {
        !self.asks[document].is_empty()
    }

    /// The greater cosine of the query and a document's name, or its name with its title.
    pub(crate) fn label(&self, document: usize, query: &Vector) -> f32 {
        self.labels[document].iter().map(|label| dot(query, label)).fold(0.0, f32::max)
    }
}

fn all_rows(document: &Analysis) -> Vec<Row> {
    [document.category.as_slice(), &document.label, &document.description].concat()
}
