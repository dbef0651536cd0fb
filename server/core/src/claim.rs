//! Idempotency keys: a call by its key, and what is known of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::fault::{Fault, Result};
use crate::principal::Principal;

/// Most characters of a key.
const LONGEST: usize = 200;

/// A caller's name for one call, so that the call can be repeated without doing it twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Where a call carries it.
    pub(crate) const POINTER: &str = "/_meta/toolwrit~1idempotencyKey";

    /// # Errors
    /// `VALIDATION_ERROR` for anything but a string of 1 to 200 characters.
    pub(crate) fn parse(key: &Value) -> Result<Self> {
        let fits = |text: &&str| (1..=LONGEST).contains(&text.chars().count());
        let text = key.as_str().filter(fits).ok_or_else(|| {
            Fault::validation("The idempotency key does not fit.")
                .at(Self::POINTER)
                .expecting(format!("a string of 1 to {LONGEST} characters"))
                .hinting("Send another key, such as a UUID, or none.")
        })?;
        Ok(Self(text.to_owned()))
    }

    /// The caller's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call that goes by a key.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whose key it is.
    pub principal: Principal,
    /// The key.
    pub key: IdempotencyKey,
    /// The id of the operation.
    pub operation: String,
    /// Whether it may run again if its end is unknown.
    pub is_idempotent: bool,
    /// The SHA-256 of the arguments.
    pub arguments: [u8; 32],
}

impl Claim {
    /// The arguments in their canonical text.
    pub(crate) fn new(
        principal: Principal,
        key: IdempotencyKey,
        operation: &str,
        is_idempotent: bool,
        arguments: &str,
    ) -> Self {
        let arguments = Sha256::digest(arguments.as_bytes()).into();
        let operation = operation.to_owned();
        Self { principal, key, operation, is_idempotent, arguments }
    }

    /// Whether both are the same call.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.operation == other.operation && self.arguments == other.arguments
    }
}

/// What the file says of a key.
#[derive(Debug)]
pub enum Claimed {
    /// It is this call's, from now on.
    New,
    /// The call has been answered.
    Answered(ClaimedAnswer),
    /// It stands for another operation, or for other arguments.
    Taken,
    /// The call was started at this time, and never answered.
    Unfinished(String),
}

/// The first answer to a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedAnswer {
    /// What the handler gave.
    Ok(Value),
    /// How the call failed.
    Error(Fault),
}
