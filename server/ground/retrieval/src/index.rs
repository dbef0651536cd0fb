//! The index, which ranks documents for a query.

use crate::dense::Vectors;
use crate::document::Analysis;
use crate::fuse::fuse;
use crate::lexical::Lexicon;
use crate::query::Query;
use crate::soft::Meanings;
use crate::words::Word;

/// Only the first words of a query are matched with similar words, because this search is slow.
const SOFT_WORDS: usize = 24;
/// With more documents than this, similar words are not searched: exact words suffice, and the search would
/// take milliseconds.
const SOFT_DOCUMENTS: usize = 2_000;
/// The weight of a document's nearest ask in its dense score. An ask is worded like a query, so it says more than the
/// rest of the document.
const ASK_SHARE: f32 = 1.2;
/// The weight, in the certainty, of the share of the query's words that a document contains.
const COVER_SHARE: f32 = 2.0;
/// The minimum certainty of a weak hit. In published sets, all queries with an answer among the documents
/// reach it, and 3 in 10 of the queries without one.
const RELEVANT: f32 = 0.45;
/// The minimum certainty of a strong hit: 9 in 10 of the former queries reach it, and 1 in 20 of the latter.
const STRONG: f32 = 0.8;

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

/// How certain it is that the query means a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relevance {
    /// Not meant.
    None,
    /// Possibly meant.
    Weak,
    /// Very likely meant.
    Strong,
}

impl Relevance {
    fn from_certainty(certainty: f32) -> Self {
        match certainty {
            certainty if certainty >= STRONG => Relevance::Strong,
            certainty if certainty >= RELEVANT => Relevance::Weak,
            _ => Relevance::None,
        }
    }
}

/// A document with its score for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolHit {
    /// The position of the document.
    pub document: usize,
    /// Higher is better. Not comparable between queries.
    pub score: f32,
    /// The certainty that the document is meant. Comparable between queries.
    pub certainty: f32,
    /// The certainty in three levels.
    pub relevance: Relevance,
    /// The parts of the score.
    pub parts: Parts,
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
#[derive(Debug, Default)]
pub struct ToolIndex {
    lexicon: Lexicon,
    meanings: Meanings,
    vectors: Vectors,
    documents: usize,
}

impl ToolIndex {
    /// Builds an index. Hits refer to positions in the slice.
    pub fn build(documents: &[Analysis]) -> Self {
        let mut index = Self {
            lexicon: Lexicon::for_documents(documents),
            vectors: Vectors::for_documents(documents),
            ..Self::default()
        };
        for document in documents {
            index.add_document(document);
        }
        index.meanings.add_new_terms(&index.lexicon);
        index
    }

    /// Adds a document after the others. Statistics such as usual lengths and rare words stay those of the
    /// first documents.
    pub fn add(&mut self, document: &Analysis) {
        self.add_document(document);
        self.meanings.add_new_terms(&self.lexicon);
    }

    fn add_document(&mut self, document: &Analysis) {
        self.lexicon.add(document);
        self.vectors.add(document);
        self.documents += 1;
    }

    /// Returns the relevant documents, best first. May be empty.
    pub fn search(&self, query: &str) -> Vec<ToolHit> {
        let mut hits = self.rank(query, Method::Hybrid);
        hits.retain(|hit| hit.relevance > Relevance::None);
        hits
    }

    /// Returns all documents, best first; equal ones in their order.
    pub fn rank(&self, query: &str, method: Method) -> Vec<ToolHit> {
        let query = Query::parse(query);
        let method = match method {
            Method::Hybrid if self.is_mostly_unfamiliar(&query) => Method::Bm25,
            method => method,
        };
        let parts = self.score_parts(&query, method);
        let scores = match method {
            Method::Bm25 => parts.iter().map(|parts| parts.lexical).collect(),
            Method::Dense => parts.iter().map(|parts| parts.dense).collect(),
            Method::Hybrid => fuse(
                &parts.iter().map(|parts| parts.soft).collect::<Vec<_>>(),
                &parts.iter().map(|parts| parts.dense + ASK_SHARE * parts.ask).collect::<Vec<_>>(),
            ),
        };
        let most: f32 = query.words.iter().map(|word| self.lexicon.ceiling(word)).sum();
        // A word in every document has almost no weight; containing all of them shows no relevance.
        let most = most.max(self.lexicon.unseen());
        let hit = |(document, (score, parts)): (usize, (f32, Parts))| {
            let certainty = self.certainty(document, &parts, most, method);
            ToolHit {
                document,
                score,
                certainty,
                relevance: Relevance::from_certainty(certainty),
                parts,
            }
        };
        let mut hits: Vec<ToolHit> = scores.into_iter().zip(parts).enumerate().map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        hits
    }

    /// Whether most words are neither in the model nor in the documents. The meaning of their pieces would be
    /// arbitrary.
    fn is_mostly_unfamiliar(&self, query: &Query) -> bool {
        let unknown = query.unfamiliar.iter().filter(|word| self.lexicon.find(word).is_none());
        2 * unknown.count() > query.words.len()
    }

    fn score_parts(&self, query: &Query, method: Method) -> Vec<Parts> {
        let vector = self.vectors.vector(&query.pieces);
        let (lexical, soft) = self.score_words(&query.words, method);
        let scores = self.vectors.scores(&vector);
        let asks = self.vectors.asks(&vector, &scores);
        let meant = scores.into_iter().zip(asks);
        let said = lexical.into_iter().zip(soft);
        said.zip(meant)
            .map(|((lexical, soft), (dense, ask))| Parts { lexical, soft, dense, ask })
            .collect()
    }

    /// Scores each document by the query's words, and by these and similar words.
    fn score_words(&self, query: &[Word], method: Method) -> (Vec<f32>, Vec<f32>) {
        let mut exact = vec![0.0; self.documents];
        let mut soft = vec![0.0; self.documents];
        let mut best = vec![0.0_f32; self.documents];
        for (at, word) in query.iter().enumerate() {
            let own_term = self.lexicon.find(word);
            for (document, impact) in
                own_term.into_iter().flat_map(|term| self.lexicon.impacts(term))
            {
                exact[document] += impact;
            }
            let is_soft =
                method == Method::Hybrid && at < SOFT_WORDS && self.documents <= SOFT_DOCUMENTS;
            let similar = if is_soft { self.meanings.find_similar(word) } else { Vec::new() };
            best.fill(0.0);
            // A word that most documents contain says little, and so does a rare word that is similar to it.
            let most = own_term.map_or(f32::INFINITY, |_| self.lexicon.ceiling(word));
            for (term, share) in similar.into_iter().chain(own_term.map(|term| (term, 1.0))) {
                for (document, impact) in self.lexicon.impacts(term) {
                    best[document] = best[document].max((share * impact).min(most));
                }
            }
            soft.iter_mut().zip(&best).for_each(|(sum, best)| *sum += best);
        }
        (exact, soft)
    }

    fn certainty(&self, document: usize, parts: &Parts, most: f32, method: Method) -> f32 {
        let cover = COVER_SHARE * parts.soft / most.max(f32::MIN_POSITIVE);
        match method {
            Method::Hybrid => cover + self.vectors.cosine(document, parts.dense).max(parts.ask),
            // Without the model, a shared word is the only evidence.
            _ if parts.lexical > 0.0 => cover.max(RELEVANT),
            _ => 0.0,
        }
    }
}
