//! Matches query words with similar words of the documents, for words that few documents or none contain.

use crate::lexical::{Lexicon, TermId};
use crate::model::{DIMENSIONS, Vector, add, normalize, pieces};
use crate::words::Word;

/// Maximum number of similar terms of one word.
const NEIGHBOURS: usize = 8;
/// Minimum cosine of similar words.
const NEAR: f32 = 0.35;
/// The weight of a similar term, multiplied by the cosine.
const SHARE: f32 = 0.5;
/// Scale of an [`Embedding`]: products fit into 32 bits, and integers are fast to compare.
const UNITS: f32 = 16_384.0;

/// A word's embedding of length one, multiplied by [`UNITS`].
type Embedding = [i16; DIMENSIONS];

/// The embedding of each term of a lexicon; `None` for terms that the model does not cover.
#[derive(Debug, Default)]
pub(crate) struct Meanings(Vec<Option<Embedding>>);

impl Meanings {
    pub(crate) fn add_new_terms(&mut self, lexicon: &Lexicon) {
        let known = self.0.len();
        self.0.extend(lexicon.surfaces(known).map(embed));
    }

    /// The terms that are similar to a word, with the cosine, in their order.
    pub(crate) fn find_similar(&self, word: &Word) -> Vec<(TermId, f32)> {
        let Some(wanted) = embed(&word.surface) else { return Vec::new() };
        let near = |(term, meaning): (TermId, &Option<Embedding>)| {
            let likeness = cosine(&wanted, meaning.as_ref()?);
            (likeness >= NEAR).then_some((term, likeness))
        };
        self.0.iter().enumerate().filter_map(near).collect()
    }
}

/// The most similar of these terms, with the weight of their scores.
pub(crate) fn neighbours(similar: &[(TermId, f32)]) -> impl Iterator<Item = (TermId, f32)> {
    let mut near = similar.to_vec();
    near.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    near.truncate(NEIGHBOURS);
    near.into_iter().map(|(term, likeness)| (term, SHARE * likeness))
}

/// The cosine of the embeddings of two words; 0 if the model does not cover one of them.
pub(crate) fn likeness(a: &str, b: &str) -> f32 {
    embed(a).zip(embed(b)).map_or(0.0, |(a, b)| cosine(&a, &b))
}

fn embed(word: &str) -> Option<Embedding> {
    let pieces = pieces(word);
    if pieces.is_empty() {
        return None;
    }
    let mut sum: Vector = [0.0; DIMENSIONS];
    for row in pieces {
        add(row, 1.0, &mut sum);
    }
    #[expect(clippy::cast_possible_truncation, reason = "no larger than UNITS")]
    let units = normalize(sum).map(|value| (value * UNITS).round() as i16);
    Some(units)
}

/// The cosine of two embeddings.
fn cosine(a: &Embedding, b: &Embedding) -> f32 {
    let products = a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b));
    #[expect(clippy::cast_precision_loss, reason = "a cosine of three digits is exact enough")]
    let sum = products.sum::<i32>() as f32;
    sum / (UNITS * UNITS)
}
