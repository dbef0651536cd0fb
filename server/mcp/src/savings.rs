//! What tool listings cost clients: those that were sent, against a full flat listing for the same
//! caller each time. To count tokens takes a vocabulary that is slow to load, so requests only note
//! which listing they got; tokens are counted when somebody asks, or when notes pile up.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::surface::Listing;
use toolwrit_core::listing_costs::{Accounts, Total};
use toolwrit_core::policy::Policy;
use toolwrit_core::principal::Principal;
use toolwrit_core::storage::{Lost, State};

/// Different listings that are noted before their tokens are counted.
const PILE: usize = 64;

/// The account of one server. Cheap to clone.
#[derive(Clone)]
pub struct Savings(Arc<Books>);

struct Books {
    state: State,
    notes: Mutex<Vec<Note>>,
    unsaved: tokio::sync::Mutex<Accounts>,
}

/// Requests that got the same listing.
struct Note {
    principal: Principal,
    sent: Arc<Listing>,
    /// Of which the full listing is made.
    policy: Arc<Policy>,
    requests: u64,
}

impl Savings {
    pub(crate) fn new(state: State) -> Self {
        let unsaved = tokio::sync::Mutex::new(Accounts::since_now());
        Self(Arc::new(Books { state, notes: Mutex::default(), unsaved }))
    }

    /// Notes that a listing was sent. Never waits.
    pub(crate) fn note(&self, principal: &Principal, sent: &Arc<Listing>, policy: &Arc<Policy>) {
        let mut notes = self.0.notes();
        let same = |note: &&mut Note| {
            Arc::ptr_eq(&note.sent, sent)
                && Arc::ptr_eq(&note.policy, policy)
                && note.principal == *principal
        };
        if let Some(note) = notes.iter_mut().find(same) {
            note.requests += 1;
            return;
        }
        let (principal, sent, policy) = (principal.clone(), sent.clone(), policy.clone());
        notes.push(Note { principal, sent, policy, requests: 1 });
        if notes.len() == PILE {
            let this = self.clone();
            tokio::spawn(async move { this.settle().await });
        }
    }

    /// Completes when few enough listings wait to be counted. Whoever makes a listing of its own asks
    /// first, for those add up; the others are kept in any case.
    pub async fn room(&self) {
        if self.0.notes().len() < PILE {
            return;
        }
        let this = self.clone();
        // What was noted is counted although a client goes.
        let _ = tokio::spawn(async move { this.settle().await }).await;
    }

    /// Everything up to now.
    pub async fn accounts(&self) -> Accounts {
        self.settle().await;
        let unsaved = self.0.unsaved.lock().await;
        match self.0.state.listed().await {
            Ok(saved) => unsaved.clone().with(saved),
            Err(Lost) => unsaved.clone(),
        }
    }

    /// Starts anew.
    pub async fn reset(&self) {
        let mut unsaved = self.0.unsaved.lock().await;
        self.0.notes().clear();
        *unsaved = Accounts::since_now();
        // Where nothing can be kept there is nothing to delete.
        let _ = self.0.state.forget_listed().await;
    }

    /// Counts what has been noted, and saves it.
    pub async fn settle(&self) {
        let mut unsaved = self.0.unsaved.lock().await;
        let notes = std::mem::take(&mut *self.0.notes());
        if !notes.is_empty() {
            let counted = tokio::task::spawn_blocking(move || count(&notes)).await;
            unsaved.add(counted.unwrap_or_default());
        }
        // What was not counted in tokens would spoil the sums of what was.
        let is_counted = unsaved.totals.values().all(|total| total.sent.is_some());
        if is_counted && !unsaved.totals.is_empty() {
            let saved = self.0.state.add_listed(unsaved.clone()).await;
            if saved.is_ok() {
                unsaved.totals.clear();
            }
        }
    }
}

impl Books {
    fn notes(&self) -> MutexGuard<'_, Vec<Note>> {
        // No code that can panic runs under the lock.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(notes: &[Note]) -> BTreeMap<String, Total> {
    let mut full: HashMap<*const Policy, Option<u64>> = HashMap::new();
    let mut totals: BTreeMap<String, Total> = BTreeMap::new();
    for Note { principal, sent, policy, requests } in notes {
        let cost = |listing: &Listing| listing.tokens().map(|tokens| tokens as u64 * requests);
        let full = full.entry(Arc::as_ptr(policy));
        let full = full.or_insert_with(|| Listing::full(policy).tokens().map(|t| t as u64));
        let total = totals.entry(principal.as_str().to_owned()).or_insert(Total::NOTHING);
        total.add(Total {
            requests: *requests,
            full: full.map(|tokens| tokens * requests),
            sent: cost(sent),
        });
    }
    totals
}
