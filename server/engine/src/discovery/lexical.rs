//! Field-weighted BM25 over what the manifest says about each operation.

use std::collections::{BTreeMap, HashMap};

use super::text::stems;
use crate::authority::{Authority, Operation};

const SATURATION: f64 = 1.4;
const LENGTH_NORM: f64 = 0.6;
/// Longer questions are cut here; the rest rarely says anything new.
const QUERY_TERMS: usize = 24;

/// How much a word counts by where it stands: the id, the summary, the asks, and so on. Tuned on
/// published tool-retrieval sets.
const WEIGHTS: [f64; FIELDS] = [3.0, 1.0, 0.4, 1.0, 0.6, 0.6, 0.35, 0.6];
const FIELDS: usize = 8;

/// An inverted index of an authority's operations.
#[derive(Debug)]
pub(crate) struct Index {
    /// For each stem, the operations that hold it and the impact it has there.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

impl Index {
    /// Reads the whole corpus; takes about a millisecond for a hundred operations.
    pub(crate) fn build(authority: &'static Authority) -> Self {
        let documents: Vec<[Vec<String>; FIELDS]> =
            authority.operations.iter().map(|operation| fields(authority, operation)).collect();
        let averages = averages(&documents);
        let mut frequencies: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
        for (at, document) in documents.iter().enumerate() {
            for (stem, weight) in weighted(document, &averages) {
                frequencies.entry(stem).or_default().push((at, weight));
            }
        }
        let count = to_f64(documents.len());
        let postings = frequencies.into_iter().map(|(stem, holders)| {
            let found = to_f64(holders.len());
            let rarity = (1.0 + (count - found + 0.5) / (found + 0.5)).ln();
            let impact = |tf: f64| rarity * tf * (SATURATION + 1.0) / (tf + SATURATION);
            let holders = holders.into_iter().map(|(at, tf)| (at, impact(tf))).collect();
            (stem.to_owned(), holders)
        });
        Self { postings: postings.collect() }
    }

    /// The candidates that share a word with the query, best first. Ties keep manifest order.
    pub(crate) fn rank(&self, query: &str, candidates: &[usize]) -> Vec<usize> {
        let mut terms = stems(query);
        terms.sort_unstable();
        terms.dedup();
        terms.truncate(QUERY_TERMS);
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for (at, impact) in terms.iter().filter_map(|term| self.postings.get(term)).flatten() {
            *scores.entry(*at).or_default() += impact;
        }
        let mut ranked: Vec<(usize, f64)> =
            candidates.iter().filter_map(|at| scores.get(at).map(|score| (*at, *score))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().map(|(at, _)| at).collect()
    }
}

/// The texts of one operation, in the order of [`WEIGHTS`].
fn fields(authority: &'static Authority, operation: &Operation) -> [Vec<String>; FIELDS] {
    let category = authority.category_of(operation);
    let about = format!("{} {} {}", category.name, category.title, category.keywords.join(" "));
    let aliases: Vec<&str> = operation.aliases.iter().map(|alias| alias.name).collect();
    let names: Vec<&str> = operation.inputs.iter().map(|field| field.name).collect();
    let details: Vec<&str> = operation.inputs.iter().map(|field| field.description).collect();
    let labels = format!("{} {}", operation.tags.join(" "), aliases.join(" "));
    [
        stems(operation.name),
        stems(operation.summary),
        stems(&operation.asks.join(" ")),
        stems(&about),
        stems(operation.description.unwrap_or_default()),
        stems(&names.join(" ")),
        stems(&details.join(" ")),
        stems(&labels),
    ]
}

/// The average length of each field over the operations that fill it.
fn averages(documents: &[[Vec<String>; FIELDS]]) -> [f64; FIELDS] {
    std::array::from_fn(|field| {
        let lengths: Vec<usize> =
            documents.iter().map(|d| d[field].len()).filter(|length| *length > 0).collect();
        to_f64(lengths.iter().sum()) / to_f64(lengths.len()).max(1.0)
    })
}

/// Each stem's weighted, length-normalised frequency in one operation.
fn weighted<'a>(
    document: &'a [Vec<String>; FIELDS],
    averages: &[f64; FIELDS],
) -> BTreeMap<&'a str, f64> {
    let mut frequencies = BTreeMap::new();
    for ((stems, average), weight) in document.iter().zip(averages).zip(WEIGHTS) {
        let norm = 1.0 - LENGTH_NORM + LENGTH_NORM * to_f64(stems.len()) / average.max(1.0);
        for stem in stems {
            *frequencies.entry(stem.as_str()).or_insert(0.0) += weight / norm;
        }
    }
    frequencies
}

#[expect(clippy::cast_precision_loss, reason = "counts of words and operations")]
fn to_f64(count: usize) -> f64 {
    count as f64
}
