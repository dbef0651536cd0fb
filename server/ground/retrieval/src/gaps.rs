//! What people ask for that no document offers.

use crate::dense::Vectors;
use crate::model::Vector;
use crate::query::Query;
use crate::soft::likeness;
use crate::verbs::Verbs;
use crate::words::{Dictionary, Word};

use toolwrit_words::VerbClass;

/// The weights of the terms, as those of the judgement.
const COVERAGE: f32 = 2.2;
const LIKENESS: f32 = 4.5;
const CONTRADICTION: f32 = -1.7;
const BASE: f32 = -3.6;
/// What another verb is worth.
const OTHER_VERB: f32 = 0.5;
/// The least sum of a gap.
const MEANT: f32 = 1.2;
/// How much more than any document a gap must fit.
const AHEAD: f32 = 0.3;
/// The least cosine of words that cover each other.
const COVERS: f32 = 0.45;

/// How people ask for something that is not offered.
#[derive(Debug)]
struct GapAsk {
    /// The gap that it belongs to.
    gap: usize,
    words: Vec<Word>,
    class: Option<VerbClass>,
    vector: Vector,
}

/// The gaps of an index.
#[derive(Debug, Default)]
pub(crate) struct Gaps(Vec<GapAsk>);

impl Gaps {
    /// Reads the asks of each gap.
    pub(crate) fn new(gaps: &[Vec<String>], vectors: &Vectors, verbs: &Verbs) -> Self {
        let mut dictionary = Dictionary::default();
        let mut read = |(gap, ask): (usize, &String)| {
            let all = dictionary.read(ask);
            let said = dictionary.meaningful(&all);
            GapAsk {
                gap,
                class: verbs.class(&all, &dictionary),
                vector: vectors.vector(&dictionary.pieces(&said)),
                words: said.iter().map(|id| dictionary.word(*id).clone()).collect(),
            }
        };
        let asks =
            gaps.iter().enumerate().flat_map(|(gap, asks)| asks.iter().map(move |a| (gap, a)));
        Self(asks.map(&mut read).collect())
    }

    /// The gap that a query means, if it fits it better than the best document.
    pub(crate) fn meant(&self, query: &Query, vector: &Vector, best: f32) -> Option<usize> {
        let sums = self.0.iter().map(|ask| (ask.gap, ask.sum(query, vector)));
        let (gap, sum) = sums.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (sum >= MEANT && sum >= best + AHEAD).then_some(gap)
    }
}

impl GapAsk {
    fn sum(&self, query: &Query, vector: &Vector) -> f32 {
        let same = |word: &Word| self.words.iter().any(|own| own.stem == word.stem);
        let near = |word: &Word| {
            let all = self.words.iter().map(|own| likeness(&word.surface, &own.surface));
            all.filter(|likeness| *likeness >= COVERS).fold(0.0, f32::max)
        };
        let (mut covered, mut said) = (0.0, 0.0);
        for word in &query.words {
            said += word.weight;
            covered += word.weight * if same(&word.word) { 1.0 } else { near(&word.word) };
        }
        let other = query.class.is_some() && self.class.is_some() && query.class != self.class;
        COVERAGE * covered / f32::max(said, f32::MIN_POSITIVE)
            + LIKENESS * crate::model::dot(vector, &self.vector)
            + CONTRADICTION * if other { OTHER_VERB } else { 0.0 }
            + BASE
    }
}
