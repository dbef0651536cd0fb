//! One check of a value: what the parts have found, and how much they may still do.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ptr;
use std::sync::Weak;

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Validators;

/// Steps after which a check is given up: a step is one value in one part.
pub(super) const MOST_STEPS: u32 = 2_000_000;

/// A value in a part. Values are told apart by their addresses in memory, which do not change during a check.
pub(super) type ValueAddress = (usize, *const Value);

/// What is known about a value in a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is being checked. A reference that comes back to it asks nothing more.
    Running,
    Valid,
    Invalid,
}

/// A check that is going on in this thread.
#[derive(Default)]
struct Check {
    known: HashMap<ValueAddress, Known>,
    /// Scalars that a part does not accept. They are not known: their addresses are used again for the names of properties.
    refused: Vec<ValueAddress>,
    steps: u32,
    most: u32,
    cancellation: CancellationToken,
    is_over: bool,
}

thread_local! {
    static CHECK: RefCell<Check> = RefCell::default();
}

/// How a check ended.
pub(super) enum Checked {
    Valid,
    /// The values that are not valid, each with a part that says so. No part accepts them.
    Invalid(Vec<ValueAddress>),
    /// It was cancelled, or took too many steps.
    GivenUp,
}

/// Runs a check in this thread.
pub(super) fn run(
    most: u32,
    cancellation: CancellationToken,
    is_valid: impl FnOnce() -> bool,
) -> Checked {
    CHECK.replace(Check { most, cancellation, ..Check::default() });
    let is_valid = is_valid();
    let check = CHECK.take();
    if check.is_over {
        return Checked::GivenUp;
    }
    if is_valid {
        return Checked::Valid;
    }
    let is_invalid = |known: &Known| *known == Known::Invalid;
    let accepted: HashSet<*const Value> = check
        .known
        .iter()
        .filter(|(_, known)| !is_invalid(known))
        .map(|((_, value), _)| *value)
        .collect();
    let invalid =
        check.known.iter().filter(|(_, known)| is_invalid(known)).map(|(address, _)| *address);
    let invalid = invalid.filter(|(_, value)| !accepted.contains(value));
    Checked::Invalid(invalid.chain(check.refused).collect())
}

impl Check {
    /// Counts a step. Returns whether the check goes on.
    fn step(&mut self) -> bool {
        self.steps += 1;
        let is_due = self.steps.is_multiple_of(64);
        self.is_over |= self.steps > self.most || (is_due && self.cancellation.is_cancelled());
        !self.is_over
    }
}

/// The keyword that stands for a reference to a part.
pub(super) struct Part {
    pub(super) part: usize,
    pub(super) validators: Weak<Validators>,
}

impl Part {
    fn accepts(&self, value: &Value) -> bool {
        let address = (self.part, ptr::from_ref(value));
        let known = CHECK.with_borrow_mut(|check| match check.known.get(&address).copied() {
            Some(known) => Some(known != Known::Invalid),
            None if !check.step() => Some(false),
            None => {
                check.known.insert(address, Known::Running);
                None
            }
        });
        if let Some(known) = known {
            return known;
        }
        let validators = self.validators.upgrade();
        let valid = validators.is_some_and(|validators| validators.accepts(self.part, value));
        CHECK.with_borrow_mut(|check| {
            if value.is_object() || value.is_array() {
                check.known.insert(address, if valid { Known::Valid } else { Known::Invalid });
            } else {
                check.known.remove(&address);
                check.refused.extend((!valid).then_some(address));
            }
        });
        valid
    }
}

impl<'i> Keyword<'i> for Part {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.accepts(value) { Ok(()) } else { Err(ValidationError::custom("it is not valid")) }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        self.accepts(value)
    }
}

/// The keyword beside a reference that the validator follows.
pub(super) struct Step;

impl<'i> Keyword<'i> for Step {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) {
            Ok(())
        } else {
            Err(ValidationError::custom("it takes too long"))
        }
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        CHECK.with_borrow_mut(Check::step)
    }
}
