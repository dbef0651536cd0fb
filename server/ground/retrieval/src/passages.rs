//! Vectors of passages of text, to find those that mean what a query means.
//!
//! The vectors are small: a byte for each dimension. The vectors of passages and queries are comparable only if
//! they are made with the same [`PieceWeights`].

use serde::{Deserialize, Serialize};

use crate::lexical::rarity;
use crate::model::{DIMENSIONS, ROWS, Row, add, dot};
use crate::words::Dictionary;

/// The weight of a piece that no passage contains.
const UNSEEN: f32 = 1.0;

/// Splits texts into pieces of words. Analyses each word once.
#[derive(Default)]
pub struct PassageReader(Dictionary);

/// The pieces of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pieces(Vec<Row>);

impl PassageReader {
    /// The pieces of a text without stop words, or of all its words if there are no others.
    pub fn read(&mut self, text: &str) -> Pieces {
        let words = self.0.read(text);
        Pieces(self.0.pieces(&self.0.meaningful(&words)))
    }
}

/// The weight of each piece: rare pieces weigh most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PieceWeights(Vec<f32>);

/// In how many passages each piece occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceCounts {
    holders: Vec<usize>,
    passages: usize,
}

impl Default for PieceCounts {
    fn default() -> Self {
        Self { holders: vec![0; ROWS], passages: 0 }
    }
}

impl PieceCounts {
    /// Counts the pieces of a passage, each once.
    pub fn add(&mut self, Pieces(rows): &Pieces) {
        let mut rows = rows.clone();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            self.holders[usize::from(row)] += 1;
        }
        self.passages += 1;
    }

    /// The weights for the passages that were counted.
    pub fn weights(&self) -> PieceWeights {
        let most = rarity(self.passages, 0);
        let weight = |holders: &usize| match *holders {
            0 => UNSEEN,
            some => (rarity(self.passages, some) / most).max(0.0),
        };
        PieceWeights(self.holders.iter().map(weight).collect())
    }
}

impl PieceWeights {
    /// Whether these are weights for the model, after loading them.
    pub fn is_sound(&self) -> bool {
        self.0.len() == ROWS && self.0.iter().all(|weight| weight.is_finite())
    }

    /// The vector of a text; zero if the model knows none of its words.
    pub fn vector(&self, Pieces(rows): &Pieces) -> PassageVector {
        let mut sum = [0.0; DIMENSIONS];
        for row in rows {
            add(*row, self.0[usize::from(*row)], &mut sum);
        }
        PassageVector::from_sum(&sum)
    }
}

/// A vector of length one, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageVector([i8; DIMENSIONS]);

impl PassageVector {
    /// Its size in bytes.
    pub const SIZE: usize = DIMENSIONS;

    fn from_sum(sum: &[f32; DIMENSIONS]) -> Self {
        let most = sum.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        if most == 0.0 {
            return Self([0; DIMENSIONS]);
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
        Self(sum.map(|value| (value / most * 127.0).round() as i8))
    }

    /// The bytes, for storing it.
    pub fn to_bytes(self) -> [u8; Self::SIZE] {
        self.0.map(i8::cast_unsigned)
    }

    /// The vector with these bytes.
    pub fn from_bytes(bytes: [u8; Self::SIZE]) -> Self {
        Self(bytes.map(u8::cast_signed))
    }

    /// The length of the vector in its own units.
    pub fn length(&self) -> f32 {
        let values = self.0.map(f32::from);
        dot(&values, &values).sqrt()
    }

    /// The dot product with another vector, in the units of both.
    pub fn dot(&self, other: &Self) -> i32 {
        let products = self.0.iter().zip(&other.0).map(|(a, b)| i32::from(*a) * i32::from(*b));
        products.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{PassageReader, PieceCounts};

    #[test]
    fn a_passage_is_nearest_to_a_query_of_its_meaning() {
        let texts =
            ["Bake the bread in the oven.", "The train leaves from platform two.", "Feed the cat."];
        let mut reader = PassageReader::default();
        let passages = texts.map(|text| reader.read(text));
        let mut counts = PieceCounts::default();
        for passage in &passages {
            counts.add(passage);
        }
        let weights = counts.weights();
        let nearest = |query: &str, reader: &mut PassageReader| {
            let query = weights.vector(&reader.read(query));
            let similarity = |passage| {
                let vector = weights.vector(passage);
                #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                let dot = vector.dot(&query) as f32;
                dot / (vector.length() * query.length())
            };
            let scores = passages.iter().map(similarity).enumerate();
            scores.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at)
        };
        assert_eq!(nearest("cooking dough", &mut reader), Some(0));
        assert_eq!(nearest("railway station", &mut reader), Some(1));
        assert_eq!(nearest("pets", &mut reader), Some(2));
    }
}
