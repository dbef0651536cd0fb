//! Clients that write lines with idempotency keys, whatever happens to the replicas, and what they have learnt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::scope;

use serde_json::{Value, json};
use toolwrit_tests::cluster::{Caller, keyed};
use toolwrit_tests::drivers::client::CallResult;
use toolwrit_tests::waiting::found;

/// Clients at once.
const CLIENTS: usize = 8;
/// How long a handler runs after it has written: a replica that is killed then has done what nobody was told.
const MILLIS: u64 = 20;

/// What a client knows of the call with a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Known {
    /// It was done, and this is its answer.
    Done(Value),
    /// Nobody knows whether it was done.
    Unfinished,
}

/// What the clients know at the end, by the number of each key.
#[derive(Default)]
pub(crate) struct Outcomes {
    known: Mutex<BTreeMap<usize, Known>>,
    /// Keys whose call may still run in a replica that is gone, as far as the others know.
    open: Mutex<BTreeSet<usize>>,
    /// Requests without an answer.
    pub(crate) silent: AtomicUsize,
    /// Whether a client has found something wrong, so that nobody need wait for the rest.
    has_failed: AtomicBool,
}

impl Outcomes {
    /// How many keys have been answered so far.
    pub(crate) fn len(&self) -> usize {
        assert!(!self.has_failed.load(SeqCst), "a client has failed");
        self.known.lock().unwrap().len() + self.open.lock().unwrap().len()
    }

    pub(crate) fn all(&self) -> BTreeMap<usize, Known> {
        self.known.lock().unwrap().clone()
    }

    /// Asks for a key once: `None` if the answer is not final.
    fn ask(&self, caller: &Caller, tool: &str, key: usize) -> Option<Result<Known, Running>> {
        let arguments = json!({"line": key.to_string(), "millis": MILLIS});
        let call = keyed(tool, &arguments, &key.to_string());
        let Ok(mut answer) = caller.try_request("tools/call", call) else {
            self.silent.fetch_add(1, SeqCst);
            return None;
        };
        let result = CallResult(answer["result"].take());
        if !result.is_error() {
            return Some(Ok(Known::Done(result.ok())));
        }
        let error = result.error();
        match (error["code"].as_str().unwrap(), error["retryable"] == true) {
            ("CONFLICT", true) => Some(Err(Running)),
            ("CONFLICT", false) => Some(Ok(Known::Unfinished)),
            // Nothing was done.
            ("PROVIDER_UNAVAILABLE" | "LIMIT_EXCEEDED", true) => None,
            _ => panic!("{error}"),
        }
    }
}

/// Says that a client has failed when it is dropped, by a panic.
struct Failing<'a>(&'a AtomicBool);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// The call runs in another replica, as far as this one knows.
#[derive(Debug)]
struct Running;

/// Writes as many lines by several clients, while `disturb` is called with what they know so far. The replica is another one at
/// each attempt. Returns when every key has a final answer.
pub(crate) fn write(
    callers: &[Caller],
    tool: &str,
    keys: usize,
    disturb: impl FnOnce(&Outcomes),
) -> Outcomes {
    let outcomes = Outcomes::default();
    let next = AtomicUsize::new(0);
    let attempts = AtomicUsize::new(0);
    let caller = || &callers[attempts.fetch_add(1, SeqCst) % callers.len()];
    let work = || {
        let failing = Failing(&outcomes.has_failed);
        while let Some(key) = Some(next.fetch_add(1, SeqCst)).filter(|key| *key < keys) {
            match found("an answer", || outcomes.ask(caller(), tool, key)) {
                Ok(known) => drop(outcomes.known.lock().unwrap().insert(key, known)),
                Err(Running) => drop(outcomes.open.lock().unwrap().insert(key)),
            }
        }
        std::mem::forget(failing);
    };
    scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(work);
        }
        disturb(&outcomes);
    });
    // Once the lease of a replica that is gone has ended, the others know that its calls have, too.
    for key in std::mem::take(&mut *outcomes.open.lock().unwrap()) {
        let known = found("the end of a call that nobody runs", || {
            outcomes.ask(caller(), tool, key).and_then(Result::ok)
        });
        outcomes.known.lock().unwrap().insert(key, known);
    }
    outcomes
}

/// How often each line was written.
pub(crate) fn counts(lines: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line.as_str()).or_default() += 1;
    }
    counts
}

/// Every replica gives the answer that was given before.
pub(crate) fn assert_repeated(callers: &[Caller], tool: &str, outcomes: &Outcomes) {
    for (key, known) in outcomes.all() {
        let caller = &callers[key % callers.len()];
        assert_eq!(outcomes.ask(caller, tool, key).unwrap().unwrap(), known, "key {key}");
    }
}
