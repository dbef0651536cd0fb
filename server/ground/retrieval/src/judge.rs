//! Judges whether a query means a document. The rank says which document fits best; the judge, whether it fits at all.

/// The weights of the terms, fitted on wishes that people wrote with the operations that serve them, or with none.
const COVERAGE: f32 = 3.75;
const LIKENESS: f32 = 4.05;
const CONTRADICTION: f32 = -1.8;
const OBJECT: f32 = 0.7;
const BASE: f32 = -5.65;

/// The least sum of a strong result.
const STRONG: f32 = 1.05;
/// The least sum of a weak result.
const WEAK: f32 = -3.0;
/// The same for a document without asks: its texts are less like a query.
const WEAK_OF_TEXTS: f32 = -4.0;
/// The least sum of any result for a greeting.
const GREETED: f32 = STRONG + 1.5;
/// Only so many of the first results are strong.
const MOST_STRONG: usize = 3;

/// How sure it is that the query means a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relevance {
    /// Not meant.
    None,
    /// Possibly meant.
    Weak,
    /// Very likely meant.
    Strong,
}

/// What speaks for a document, and against it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The share of what the query says that the document has: from 0 to 1. Rare words say more than common ones, names of
    /// things and topics less.
    pub coverage: f32,
    /// The greatest cosine of the query and an ask, the name, or the name with the title.
    pub likeness: f32,
    /// How far the document does something else than the query's verb asks for: 0, 0.5 or 1.
    pub contradiction: f32,
    /// Whether the document acts on the object of the query: from 0 to 1; 0.5 if the query has none.
    pub object: f32,
    /// Whether the document has asks.
    pub is_asked: bool,
}

impl Evidence {
    /// The weighted sum of the terms. Comparable between queries: at 0 as often meant as not.
    pub fn sum(&self) -> f32 {
        let Self { coverage, likeness, contradiction, object, .. } = self;
        COVERAGE * coverage
            + LIKENESS * likeness
            + CONTRADICTION * contradiction
            + OBJECT * object
            + BASE
    }

    /// The relevance of the result at this place, from 0.
    pub(crate) fn relevance(&self, place: usize, is_greeting: bool) -> Relevance {
        let sum = self.sum();
        let weak = if self.is_asked { WEAK } else { WEAK_OF_TEXTS };
        match sum {
            _ if is_greeting && sum < GREETED => Relevance::None,
            sum if sum >= STRONG && place < MOST_STRONG => Relevance::Strong,
            sum if sum >= weak => Relevance::Weak,
            _ => Relevance::None,
        }
    }
}
