//! Search indexes. Each holds exactly the operations that the caller may know, so that ranks, counts and the
//! rarity of words reveal nothing about other operations.

use std::sync::Arc;

use moka::sync::Cache;
use toolwrit_retrieval::{Analyst, ToolHit, ToolIndex};

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
    /// Returns the visible operations that match the query and fit, best first.
    pub(crate) fn search(
        &self,
        policy: &Policy,
        query: &str,
        fits: impl Fn(usize) -> bool,
    ) -> Vec<Found> {
        let visible: Vec<usize> = policy.visible().map(|(index, _)| index).collect();
        self.search_in(&policy.authority, &visible, query, fits)
    }

    /// Returns the operations at these positions that match the query and fit, best first.
    pub(crate) fn search_in(
        &self,
        authority: &Authority,
        operations: &[usize],
        query: &str,
        fits: impl Fn(usize) -> bool,
    ) -> Vec<Found> {
        let index =
            self.views.get_with(operations.to_vec(), || Arc::new(build(authority, operations)));
        let found = |hit: ToolHit| Found { operation: operations[hit.document], hit };
        let hits = index.search_among(query, |document| fits(operations[document]));
        hits.into_iter().map(found).collect()
    }
}

fn build(authority: &Authority, operations: &[usize]) -> ToolIndex {
    let mut analyst = Analyst::default();
    let analyses = operations.iter().map(|index| authority.analysis(*index, &mut analyst));
    ToolIndex::build(&analyses.collect::<Vec<_>>())
}
