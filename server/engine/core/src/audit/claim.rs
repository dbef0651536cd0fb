//! Idempotency keys, and what is stored for the calls that use them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::caller::principal::Principal;
use crate::fault::{Fault, Result};

/// Characters that a key may have.
const LONGEST: usize = 200;

/// A key that a caller gives to one call, so that it can repeat the call without running it twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// JSON pointer to the key in the parameters of a request.
    pub(crate) const POINTER: &str = "/_meta/toolwrit~1idempotencyKey";

    /// Parses a key as received.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for anything but a string of 1 to 200 characters.
    pub(crate) fn parse(key: &Value) -> Result<Self> {
        let fits = |text: &&str| (1..=LONGEST).contains(&text.chars().count());
        let text = key.as_str().filter(fits).ok_or_else(|| {
            Fault::validation("The idempotency key is not valid.")
                .with_path(Self::POINTER)
                .expecting(format!("a string of 1 to {LONGEST} characters"))
                .hinting("Send another key, such as a UUID, or none.")
        })?;
        Ok(Self(text.to_owned()))
    }

    /// Returns the text of the key.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call with an idempotency key.
#[derive(Debug, PartialEq, Eq)]
pub struct Claim {
    /// The owner of the key.
    pub principal: Principal,
    /// The key.
    pub key: IdempotencyKey,
    /// The id of the operation.
    pub operation: String,
    /// Whether the call may run again if its outcome is unknown.
    pub is_idempotent: bool,
    /// The SHA-256 of what the operations change, and of the arguments.
    pub arguments: [u8; 32],
}

impl Claim {
    /// Builds the claim of a call, from what the operations change and the canonical text of the arguments.
    pub(crate) fn new(
        principal: Principal,
        key: IdempotencyKey,
        operation: &str,
        is_idempotent: bool,
        [location, arguments]: [&str; 2],
    ) -> Self {
        // Neither has a zero byte, which therefore separates them.
        let digest = Sha256::new().chain_update(location).chain_update([0]).chain_update(arguments);
        let arguments = digest.finalize().into();
        let operation = operation.to_owned();
        Self { principal, key, operation, is_idempotent, arguments }
    }

    /// Whether both claims have the same operation and arguments.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.operation == other.operation && self.arguments == other.arguments
    }
}

/// What is stored for a key when a call claims it.
#[derive(Debug)]
pub enum Claimed {
    /// The key was free, and now belongs to this call.
    New,
    /// The call has been answered.
    Answered(ClaimedAnswer),
    /// The key belongs to a call of another operation, or with other arguments.
    Taken,
    /// The same call runs now, in another process that shares the storage.
    Running,
    /// The call was started at this time, and has no stored answer.
    Unfinished(String),
}

/// The first answer to a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedAnswer {
    /// The handler's result.
    Ok(Value),
    /// The call's fault.
    Error(Fault),
}
