//! Documents, and which of them a query is about.

use crate::dense::Vectors;
use crate::document::Analysis;
use crate::fuse::fuse;
use crate::lexical::Lexicon;
use crate::query::Query;
use crate::soft::Meanings;
use crate::words::Word;

/// Only so many words of a query count as words that are near them: finding those takes time.
const SOFT_WORDS: usize = 24;
/// Above so many documents only the query's own words count: they suffice, and near ones take
/// milliseconds.
const SOFT_DOCUMENTS: usize = 2_000;
/// What a document's nearest ask adds to its dense score.
const ASK_SHARE: f32 = 0.3;
/// How much the share of a query's words that a document covers counts, against the cosine.
const COVER_SHARE: f32 = 2.0;
/// Published queries whose answer is among the documents all reach this; of queries for other fields,
/// 3 in 10 do.
const RELEVANT: f32 = 0.45;
/// Of the former, 9 in 10 reach this; of the latter, 1 in 20.
const STRONG: f32 = 0.8;

/// Which scores count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Words alone.
    Bm25,
    /// Meaning alone.
    Dense,
    /// Words, near words and meaning.
    #[default]
    Hybrid,
}

/// How sure it is that a document is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relevance {
    /// It is not.
    None,
    /// It may be.
    Weak,
    /// It is, very likely.
    Strong,
}

impl Relevance {
    fn of(certainty: f32) -> Self {
        match certainty {
            certainty if certainty >= STRONG => Relevance::Strong,
            certainty if certainty >= RELEVANT => Relevance::Weak,
            _ => Relevance::None,
        }
    }
}

/// A document, and what a query has to do with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its position.
    pub document: usize,
    /// Higher is better. Scores of different queries do not compare.
    pub score: f32,
    /// How certain it is that the document is meant. Certainties of different queries compare.
    pub certainty: f32,
    /// The same in words.
    pub relevance: Relevance,
    /// What the score is made of.
    pub parts: Parts,
}

/// What a score is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// BM25F of the query's own words.
    pub lexical: f32,
    /// The same with words that mean nearly the same.
    pub soft: f32,
    /// How alike the meanings of query and document are.
    pub dense: f32,
    /// The cosine of the query and the document's nearest ask.
    pub ask: f32,
}

/// Documents that can be searched. Documents and statistics are of one caller's view: what a caller
/// may not see must not be in its index, as ranks would tell of it.
#[derive(Debug, Default)]
pub struct Index {
    lexicon: Lexicon,
    meanings: Meanings,
    vectors: Vectors,
    documents: usize,
}

impl Index {
    /// Takes in documents. Their positions are those in the slice.
    pub fn build(documents: &[Analysis]) -> Self {
        let mut index = Self {
            lexicon: Lexicon::for_documents(documents),
            vectors: Vectors::for_documents(documents),
            ..Self::default()
        };
        for document in documents {
            index.take_in(document);
        }
        index.meanings.follow(&index.lexicon);
        index
    }

    /// Adds a document behind the others. How long texts usually are and which words tell little
    /// stays as the first documents had it.
    pub fn add(&mut self, document: &Analysis) {
        self.take_in(document);
        self.meanings.follow(&self.lexicon);
    }

    fn take_in(&mut self, document: &Analysis) {
        self.lexicon.add(document);
        self.vectors.add(document);
        self.documents += 1;
    }

    /// The documents that a query is about, best first; none is a valid answer.
    pub fn search(&self, query: &str) -> Vec<Hit> {
        let mut hits = self.rank(query, Method::Hybrid);
        hits.retain(|hit| hit.relevance > Relevance::None);
        hits
    }

    /// All documents, best first; among equals, the earlier.
    pub fn rank(&self, query: &str, method: Method) -> Vec<Hit> {
        let query = Query::of(query);
        let method = match method {
            Method::Hybrid if self.is_strange(&query) => Method::Bm25,
            method => method,
        };
        let parts = self.parts(&query, method);
        let scores = match method {
            Method::Bm25 => parts.iter().map(|parts| parts.lexical).collect(),
            Method::Dense => parts.iter().map(|parts| parts.dense).collect(),
            Method::Hybrid => fuse(
                &parts.iter().map(|parts| parts.soft).collect::<Vec<_>>(),
                &parts.iter().map(|parts| parts.dense + ASK_SHARE * parts.ask).collect::<Vec<_>>(),
            ),
        };
        let most: f32 = query.words.iter().map(|word| self.lexicon.ceiling(word)).sum();
        // What stands in every document says next to nothing, and to have all of it is no sign.
        let most = most.max(self.lexicon.unseen());
        let hit = |(document, (score, parts)): (usize, (f32, Parts))| {
            let certainty = self.certainty(document, &parts, most, method);
            Hit { document, score, certainty, relevance: Relevance::of(certainty), parts }
        };
        let mut hits: Vec<Hit> = scores.into_iter().zip(parts).enumerate().map(hit).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        hits
    }

    /// Most words are neither English nor the documents' own, and what pieces of them mean is an
    /// accident.
    fn is_strange(&self, query: &Query) -> bool {
        let unknown = query.strange.iter().filter(|word| self.lexicon.find(word).is_none());
        2 * unknown.count() > query.words.len()
    }

    fn parts(&self, query: &Query, method: Method) -> Vec<Parts> {
        let vector = self.vectors.vector(&query.pieces);
        let (lexical, soft) = self.words(&query.words, method);
        let meant = self.vectors.scores(&vector).into_iter().zip(self.vectors.asks(&vector));
        let said = lexical.into_iter().zip(soft);
        said.zip(meant)
            .map(|((lexical, soft), (dense, ask))| Parts { lexical, soft, dense, ask })
            .collect()
    }

    /// What each document has of the query's own words, and of those and near ones.
    fn words(&self, query: &[Word], method: Method) -> (Vec<f32>, Vec<f32>) {
        let mut exact = vec![0.0; self.documents];
        let mut soft = vec![0.0; self.documents];
        let mut best = vec![0.0_f32; self.documents];
        for (at, word) in query.iter().enumerate() {
            let own = self.lexicon.find(word);
            for (document, impact) in own.into_iter().flat_map(|term| self.lexicon.impacts(term)) {
                exact[document] += impact;
            }
            let is_soft =
                method == Method::Hybrid && at < SOFT_WORDS && self.documents <= SOFT_DOCUMENTS;
            let near = if is_soft { self.meanings.near(word) } else { Vec::new() };
            best.fill(0.0);
            for (term, share) in near.into_iter().chain(own.map(|term| (term, 1.0))) {
                for (document, impact) in self.lexicon.impacts(term) {
                    best[document] = best[document].max(share * impact);
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
            // Without the model a shared word is all there is.
            _ if parts.lexical > 0.0 => cover.max(RELEVANT),
            _ => 0.0,
        }
    }
}
