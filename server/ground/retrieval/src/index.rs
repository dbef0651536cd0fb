//! The index, which ranks documents for a query.

use std::sync::Arc;

use crate::dense::Vectors;
use crate::document::Analysis;
use crate::fuse::fuse;
use crate::gaps::Gaps;
use crate::judge::{Evidence, Relevance};
use crate::lexical::{Lexicon, TermId};
use crate::model::Vector;
use crate::query::{Query, QueryWord, Vocabulary};
use crate::soft::{Meanings, neighbours};
use crate::verbs::{Deeds, Verbs};

/// Only the first words of a query are matched with similar words, because this search is slow.
const SOFT_WORDS: usize = 24;
/// With more documents than this, similar words are not searched: exact words suffice, and the search would
/// take milliseconds.
const SOFT_DOCUMENTS: usize = 2_000;
/// The weight of a document's nearest ask in its dense score. An ask is worded like a query, so it says more than the
/// rest of the document.
const ASK_SHARE: f32 = 1.2;
/// What a contradiction of the query's verb takes from the score.
const CONTRADICTED: f32 = 0.6;
/// The least cosine of words that cover each other.
const COVERS: f32 = 0.45;
/// How well a word of a parameter or category covers the query.
const ASIDE: f32 = 0.6;
/// How well a query without object has that of a document.
const NO_OBJECT: f32 = 0.5;

/// Which scores to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Only words.
    Bm25,
    /// Only meaning.
    Dense,
    /// Words, similar words and meaning.
    #[default]
    Hybrid,
}

/// A document with its score for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolHit {
    /// The position of the document.
    pub document: usize,
    /// Higher is better. Not comparable between queries.
    pub score: f32,
    /// Whether the query means the document.
    pub relevance: Relevance,
    /// What the judgement is made of.
    pub evidence: Evidence,
    /// The parts of the score.
    pub parts: Parts,
}

/// What a search finds.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// The relevant documents, best first. May be empty.
    pub hits: Vec<ToolHit>,
    /// The gap that the query means, as a position in what [`ToolIndex::with_gaps`] got. No hit is then strong.
    pub gap: Option<usize>,
}

/// The parts of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// BM25F of the query's own words.
    pub lexical: f32,
    /// BM25F that also counts words of similar meaning.
    pub soft: f32,
    /// The similarity of the meanings of query and document.
    pub dense: f32,
    /// The cosine of the query and the document's nearest ask, or its texts if it has no asks.
    pub ask: f32,
}

/// An index of documents. It must contain only documents that its caller may see, because ranks depend on all
/// documents and would reveal the others.
#[derive(Debug)]
pub struct ToolIndex {
    verbs: Arc<Verbs>,
    lexicon: Lexicon,
    vocabulary: Vocabulary,
    meanings: Meanings,
    vectors: Vectors,
    deeds: Vec<Deeds>,
    objects: Vec<Vec<TermId>>,
    gaps: Gaps,
}

impl ToolIndex {
    /// Builds an index. Hits refer to positions in the slice.
    pub fn build(documents: &[Analysis]) -> Self {
        Self::with_verbs(Verbs::shipped(), documents)
    }

    /// Builds an index that reads queries with these verbs.
    pub fn with_verbs(verbs: Arc<Verbs>, documents: &[Analysis]) -> Self {
        let mut index = Self {
            verbs,
            lexicon: Lexicon::for_documents(documents),
            vocabulary: Vocabulary::default(),
            meanings: Meanings::default(),
            vectors: Vectors::for_documents(documents),
            deeds: Vec::new(),
            objects: Vec::new(),
            gaps: Gaps::default(),
        };
        for document in documents {
            index.add_document(document);
        }
        index.complete();
        index
    }

    /// Adds what is not offered: how people ask for each thing.
    #[must_use]
    pub fn with_gaps(mut self, gaps: &[Vec<String>]) -> Self {
        self.gaps = Gaps::new(gaps, &self.vectors, &self.verbs);
        self
    }

    /// Adds a document after the others. Statistics such as usual lengths and rare words stay those of the
    /// first documents.
    pub fn add(&mut self, document: &Analysis) {
        self.add_document(document);
        self.complete();
    }

    fn add_document(&mut self, document: &Analysis) {
        self.lexicon.add(document);
        self.vectors.add(document);
        self.deeds.push(document.deeds);
        let objects = document.objects.iter().filter_map(|stem| self.lexicon.find_stem(stem));
        self.objects.push(objects.collect());
    }

    fn complete(&mut self) {
        self.meanings.add_new_terms(&self.lexicon);
        self.vocabulary = Vocabulary::new(&self.lexicon, &self.verbs);
    }

    /// Returns the relevant documents, best first. May be empty.
    pub fn search(&self, query: &str) -> Vec<ToolHit> {
        self.find(query, |_| true).hits
    }

    /// Searches only the documents that fit.
    pub fn find(&self, query: &str, fits: impl Fn(usize) -> bool) -> Findings {
        let query = self.read(query);
        let mut hits = self.rank_read(&query, Method::Hybrid);
        hits.retain(|hit| fits(hit.document));
        for (place, hit) in hits.iter_mut().enumerate() {
            // Without the model, a shared word is the only evidence.
            if !query.is_mostly_unfamiliar || hit.parts.lexical > 0.0 {
                hit.relevance = hit.evidence.relevance(place, query.is_greeting);
            }
        }
        hits.retain(|hit| hit.relevance > Relevance::None);
        let best = hits.iter().map(|hit| hit.evidence.sum()).fold(f32::NEG_INFINITY, f32::max);
        let gap = self.gaps.meant(&query, &self.vector(&query), best);
        if gap.is_some() {
            for hit in &mut hits {
                hit.relevance = Relevance::Weak;
            }
        }
        Findings { hits, gap }
    }

    fn vector(&self, query: &Query) -> Vector {
        self.vectors.weighted(query.pieces.iter().copied())
    }

    /// Returns all documents, best first and unjudged; equal ones in their order.
    pub fn rank(&self, query: &str, method: Method) -> Vec<ToolHit> {
        self.rank_read(&self.read(query), method)
    }

    fn read(&self, query: &str) -> Query {
        Query::read(query, &self.lexicon, &self.vocabulary, &self.verbs)
    }

    fn rank_read(&self, query: &Query, method: Method) -> Vec<ToolHit> {
        let method = match method {
            Method::Hybrid if query.is_mostly_unfamiliar => Method::Bm25,
            method => method,
        };
        let vector = self.vector(query);
        let words = self.score_words(query);
        let parts = self.score_parts(&vector, &words);
        let evidence = self.evidence(query, &vector, &words, &parts);
        let scores = match method {
            Method::Bm25 => words.exact,
            Method::Dense => parts.iter().map(|parts| parts.dense).collect(),
            Method::Hybrid => fuse(
                &words.soft,
                &parts.iter().map(|parts| parts.dense + ASK_SHARE * parts.ask).collect::<Vec<_>>(),
            ),
        };
        let hit = |(document, ((score, parts), evidence)): (usize, ((f32, Parts), Evidence))| {
            let score = score - CONTRADICTED * evidence.contradiction;
            ToolHit { document, score, relevance: Relevance::None, evidence, parts }
        };
        let all = scores.into_iter().zip(parts).zip(evidence).enumerate();
        let mut hits: Vec<ToolHit> = all.map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        hits
    }

    fn score_parts(&self, query: &Vector, words: &WordScores) -> Vec<Parts> {
        let scores = self.vectors.scores(query);
        let asks = self.vectors.asks(query, &scores);
        let meant = scores.into_iter().zip(asks);
        let said = words.exact.iter().zip(&words.soft);
        said.zip(meant)
            .map(|((lexical, soft), (dense, ask))| Parts {
                lexical: *lexical,
                soft: *soft,
                dense,
                ask,
            })
            .collect()
    }

    /// Scores each document by the query's words, and by these and similar words.
    fn score_words(&self, query: &Query) -> WordScores {
        let documents = self.deeds.len();
        let mut scores = WordScores::new(documents);
        let mut best = vec![0.0_f32; documents];
        let mut said = 0.0;
        for (at, QueryWord { word, weight }) in query.words.iter().enumerate() {
            let own_term = self.lexicon.find(word);
            for (document, impact) in
                own_term.into_iter().flat_map(|term| self.lexicon.impacts(term))
            {
                scores.exact[document] += impact;
            }
            let is_soft = at < SOFT_WORDS && documents <= SOFT_DOCUMENTS;
            let similar = if is_soft { self.meanings.find_similar(word) } else { Vec::new() };
            best.fill(0.0);
            // A word that most documents contain says little, and so does a rare word that is similar to it.
            let most = own_term.map_or(f32::INFINITY, |_| self.lexicon.ceiling(word));
            for (term, share) in neighbours(&similar).chain(own_term.map(|term| (term, 1.0))) {
                for (document, impact) in self.lexicon.impacts(term) {
                    best[document] = best[document].max((share * impact).min(most));
                }
            }
            scores.soft.iter_mut().zip(&best).for_each(|(sum, best)| *sum += best);
            best.fill(0.0);
            let covering = similar.into_iter().filter(|(_, likeness)| *likeness >= COVERS);
            let covering: Vec<_> = covering.chain(own_term.map(|term| (term, 1.0))).collect();
            for (term, likeness) in &covering {
                for (document, is_own) in self.lexicon.holders(*term) {
                    let covers = if is_own { *likeness } else { ASIDE * likeness };
                    best[document] = best[document].max(covers);
                }
            }
            scores.coverage.iter_mut().zip(&best).for_each(|(sum, best)| *sum += weight * best);
            said += weight;
            if query.object.contains(&at) {
                scores.object.extend(covering);
            }
        }
        scores.coverage.iter_mut().for_each(|sum| *sum /= said.max(f32::MIN_POSITIVE));
        scores
    }

    fn evidence(
        &self,
        query: &Query,
        vector: &Vector,
        words: &WordScores,
        parts: &[Parts],
    ) -> Vec<Evidence> {
        let evidence = |(document, parts): (usize, &Parts)| Evidence {
            coverage: words.coverage[document],
            likeness: parts.ask.max(self.vectors.label(document, vector)),
            contradiction: self.deeds[document].contradiction(query.class),
            object: if query.object.is_empty() {
                NO_OBJECT
            } else {
                let objects = &self.objects[document];
                let had = words.object.iter().filter(|(term, _)| objects.contains(term));
                had.map(|(_, likeness)| *likeness).fold(0.0, f32::max).min(1.0)
            },
            is_asked: self.vectors.has_asks(document),
        };
        parts.iter().enumerate().map(evidence).collect()
    }
}

/// The scores of documents by the words of a query.
struct WordScores {
    exact: Vec<f32>,
    soft: Vec<f32>,
    coverage: Vec<f32>,
    /// The terms that are an object of the query, or similar to one.
    object: Vec<(TermId, f32)>,
}

impl WordScores {
    fn new(documents: usize) -> Self {
        let zero = || vec![0.0; documents];
        Self { exact: zero(), soft: zero(), coverage: zero(), object: Vec::new() }
    }
}
