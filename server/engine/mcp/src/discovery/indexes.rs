//! Search indexes. Each holds exactly the operations that the caller may know, so that ranks, counts and the
//! rarity of words reveal nothing about other operations.

use std::sync::Arc;

use moka::sync::Cache;
use toolwrit_retrieval::{Analyst, Findings, ToolHit, ToolIndex, Verbs};

use toolwrit_core::authority::Authority;
use toolwrit_core::policy::Policy;

/// Indexes to keep. Focus modes, roles and providers make a few views; calls that narrow them may make more.
const KEPT: u64 = 32;

/// One index for each set of operations, built at the first search in it.
#[derive(Debug)]
pub(crate) struct Indexes {
    views: Cache<Vec<usize>, Arc<ToolIndex>>,
}

/// An operation that matches a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    /// Its position in the authority.
    pub(crate) operation: usize,
    pub(crate) hit: ToolHit,
}

impl Default for Indexes {
    fn default() -> Self {
        Self { views: Cache::new(KEPT) }
    }
}

impl Indexes {
    /// Returns the visible operations that match the query and fit, best first, and the note of what is not offered if
    /// that is meant.
    pub(crate) fn search<'a>(
        &self,
        policy: &'a Policy,
        query: &str,
        fits: impl Fn(usize) -> bool,
    ) -> (Vec<Found>, Option<&'a str>) {
        let visible: Vec<usize> = policy.visible().map(|(index, _)| index).collect();
        let index = self.index(&policy.authority, &visible);
        let Findings { hits, gap } = index.find(query, |document| fits(visible[document]));
        let gap = gap.and_then(|at| policy.tables().gaps.get(at));
        (found(hits, &visible), gap.map(|gap| gap.note.as_str()))
    }

    /// Returns the operations at these positions that match the query and fit, best first.
    pub(crate) fn search_in(
        &self,
        authority: &Authority,
        operations: &[usize],
        query: &str,
        fits: impl Fn(usize) -> bool,
    ) -> Vec<Found> {
        let index = self.index(authority, operations);
        found(index.find(query, |document| fits(operations[document])).hits, operations)
    }

    fn index(&self, authority: &Authority, operations: &[usize]) -> Arc<ToolIndex> {
        self.views.get_with(operations.to_vec(), || Arc::new(build(authority, operations)))
    }
}

fn found(hits: Vec<ToolHit>, operations: &[usize]) -> Vec<Found> {
    hits.into_iter().map(|hit| Found { operation: operations[hit.document], hit }).collect()
}

fn build(authority: &Authority, operations: &[usize]) -> ToolIndex {
    let tables = authority.tables();
    let verbs = tables.verbs.iter().map(|verb| (verb.class, verb.phrase.as_str()));
    let verbs = Arc::new(Verbs::with(verbs));
    let mut analyst = Analyst::new(verbs.clone());
    let analyses = operations.iter().map(|index| authority.analysis(*index, &mut analyst));
    let gaps: Vec<Vec<String>> = tables.gaps.iter().map(|gap| gap.asks.clone()).collect();
    ToolIndex::with_verbs(verbs, &analyses.collect::<Vec<_>>()).with_gaps(&gaps)
}
