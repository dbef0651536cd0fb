//! What a search would find if the focus mode, the write switch or a missing provider did not withhold it.

use serde_json::{Map, Value};

use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::policy::Policy;

use super::indexes::{Found, Indexes};

/// Operations that an answer names, at most.
const MOST_NAMED: usize = 3;
/// The least evidence that an operation is meant.
const MEANT: f32 = 0.0;

/// Operations that a search means, but that the caller may not use now.
#[derive(Debug, Clone, PartialEq)]
pub struct Withheld {
    /// `vault.write: Write a note.`, best first.
    pub operations: Vec<String>,
    /// Why they are withheld.
    pub because: Code,
    /// What would let the caller use them.
    pub remedy: Option<String>,
}

impl Withheld {
    /// Adds its fields to an answer.
    pub fn add_to(&self, answer: &mut Map<String, Value>) {
        answer.insert("withheld".to_owned(), self.operations.clone().into());
        answer.insert("because".to_owned(), self.because.to_string().into());
        if let Some(remedy) = &self.remedy {
            answer.insert("remedy".to_owned(), remedy.as_str().into());
        }
    }
}

/// Searches what is withheld, in an index of its own, so that it changes no rank of what the caller may use. `None` if the
/// best of it fits the query less than `best`, that of the others.
pub(crate) fn find_withheld(
    policy: &Policy,
    indexes: &Indexes,
    query: &str,
    fits: impl Fn(usize) -> bool,
    best: f32,
) -> Option<Withheld> {
    let withheld: Vec<usize> = policy.withheld().map(|(index, _)| index).collect();
    if withheld.is_empty() {
        return None;
    }
    let found = indexes.search_in(&policy.authority, &withheld, query, fits);
    let is_meant = |found: &&Found| found.hit.evidence.sum() >= MEANT;
    let meant: Vec<&Found> = found.iter().take(MOST_NAMED).filter(is_meant).collect();
    if meant.iter().all(|found| found.hit.evidence.sum() <= best) {
        return None;
    }
    let fault: Fault = policy.admit(meant.first()?.operation).err()?;
    let because = policy.decide(meant.first()?.operation);
    let same = meant.iter().filter(|found| policy.decide(found.operation) == because);
    let named = same.map(|found| &policy.tables().operations[found.operation]);
    Some(Withheld {
        operations: named.map(|row| format!("{}: {}", row.id, row.summary)).collect(),
        because: fault.code(),
        remedy: fault.hint().map(str::to_owned),
    })
}
