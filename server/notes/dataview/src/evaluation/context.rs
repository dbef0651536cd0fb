//! What expressions are evaluated in: the notes, the current time, and limits.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Zoned;
use regex::Regex;
use toolwrit_vault::{CancelCheck, Snapshot, VaultPath};

use super::pattern::{Pattern, compile};
use crate::notes::{NoteRecord, Notes};
use crate::value::{Map, Name, Object, Paths, Rendering, Value};

/// How many steps are made between two looks at the clock.
const STEPS: u32 = 256;
/// How many regular expressions are kept compiled.
const PATTERNS: usize = 64;

/// The value of an expression, or why there is none.
pub(crate) type Evaluated = Result<Value, Failure>;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// For this row: its values do not fit.
    Row(String),
    /// For the whole query.
    Stopped(Stop),
}

/// Why a query is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancelled,
    /// It takes longer than this.
    Time(Duration),
}

impl Failure {
    pub(crate) fn row(reason: impl Into<String>) -> Self {
        Self::Row(reason.into())
    }
}

/// How long a query may take.
pub(crate) struct Budget<'a> {
    cancel: CancelCheck<'a>,
    end: Instant,
    time: Duration,
    steps: Cell<u32>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(time: Duration, cancel: CancelCheck<'a>) -> Self {
        Self { cancel, end: Instant::now() + time, time, steps: Cell::new(0) }
    }

    /// Counts a step, and fails if the time is over.
    pub(crate) fn step(&self) -> Result<(), Failure> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps % STEPS);
        if steps < STEPS { Ok(()) } else { self.check() }
    }

    /// Fails if the time is over.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if (self.cancel)() {
            return Err(Failure::Stopped(Stop::Cancelled));
        }
        let is_over = Instant::now() > self.end;
        if is_over { Err(Failure::Stopped(Stop::Time(self.time))) } else { Ok(()) }
    }
}

/// What expressions are evaluated in.
pub(crate) struct Context<'a> {
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) notes: &'a Arc<Notes>,
    /// The note that the query is in.
    pub(crate) origin: Option<&'a VaultPath>,
    pub(crate) now: &'a Zoned,
    pub(crate) rendering: &'a Rendering,
    pub(crate) budget: Budget<'a>,
    /// The value of `this`.
    pub(crate) this: Object,
    /// The files that paths name, as they were found.
    paths: RefCell<HashMap<Arc<str>, Arc<str>>>,
    patterns: RefCell<HashMap<(Pattern, Name), Regex>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot<'a>,
        notes: &'a Arc<Notes>,
        origin: Option<&'a VaultPath>,
        now: &'a Zoned,
        rendering: &'a Rendering,
        budget: Budget<'a>,
    ) -> Self {
        let page = origin.and_then(|origin| notes.get(origin.as_str()));
        let this = page.map_or_else(
            || Object::Map(Arc::new(Map::new())),
            |page| NoteRecord::object(page, notes),
        );
        let (paths, patterns) = (RefCell::default(), RefCell::default());
        Self { snapshot, notes, origin, now, rendering, budget, this, paths, patterns }
    }

    /// The note that a link's path names.
    pub(super) fn find_note(&self, path: &Arc<str>) -> Option<Object> {
        let page = self.notes.get(&self.normalize(path))?;
        Some(NoteRecord::object(page, self.notes))
    }

    /// A compiled regular expression.
    pub(super) fn compile_pattern(&self, pattern: Pattern, text: &str) -> Result<Regex, Failure> {
        let key = (pattern, Name::from(text));
        if let Some(known) = self.patterns.borrow().get(&key) {
            return Ok(known.clone());
        }
        let new = compile(pattern, text).map_err(Failure::Row)?;
        let mut patterns = self.patterns.borrow_mut();
        if patterns.len() >= PATTERNS {
            patterns.clear();
        }
        patterns.insert(key, new.clone());
        Ok(new)
    }
}

impl Paths for Context<'_> {
    fn normalize(&self, path: &Arc<str>) -> Arc<str> {
        if self.notes.get(path).is_some() {
            return Arc::clone(path);
        }
        if let Some(known) = self.paths.borrow().get(path) {
            return Arc::clone(known);
        }
        let file = self.snapshot.resolve(path, self.origin);
        let found = file.map_or_else(|| Arc::clone(path), |file| Arc::from(file.as_str()));
        self.paths.borrow_mut().insert(Arc::clone(path), Arc::clone(&found));
        found
    }
}
