//! Idempotency keys and the answers that they stand for.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, named_params, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::audit::stamp;
use super::database::{Database, Unusable};
use crate::fault::{Fault, Result as Outcomes};
use crate::identity::Principal;

/// How long an answer is kept, in milliseconds: a day.
const KEPT: i64 = 24 * 60 * 60 * 1000;
/// Most characters of a key.
const LONGEST: usize = 200;

/// A caller's name for one call, so that the call can be repeated without doing it twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(String);

impl Key {
    /// Where a call carries it.
    pub(crate) const POINTER: &str = "/_meta/toolwrit~1idempotencyKey";

    /// # Errors
    /// `VALIDATION_ERROR` for anything but a string of 1 to 200 characters.
    pub(crate) fn parse(key: &Value) -> Outcomes<Self> {
        let fits = |text: &&str| (1..=LONGEST).contains(&text.chars().count());
        let text = key.as_str().filter(fits).ok_or_else(|| {
            Fault::validation("The idempotency key does not fit.")
                .at(Self::POINTER)
                .expecting(format!("a string of 1 to {LONGEST} characters"))
                .hinting("Send another key, such as a UUID, or none.")
        })?;
        Ok(Self(text.to_owned()))
    }
}

/// A call that goes by a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) principal: Principal,
    pub(crate) key: Key,
    pub(crate) operation: &'static str,
    /// Whether it may simply run again when nobody knows how it ended.
    pub(crate) is_idempotent: bool,
    arguments: [u8; 32],
}

impl Claim {
    /// The arguments in their canonical text.
    pub(crate) fn new(
        principal: Principal,
        key: Key,
        operation: &'static str,
        is_idempotent: bool,
        arguments: &str,
    ) -> Self {
        let arguments = Sha256::digest(arguments.as_bytes()).into();
        Self { principal, key, operation, is_idempotent, arguments }
    }

    /// Whether both are the same call.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        self.operation == other.operation && self.arguments == other.arguments
    }
}

/// What the file says of a key.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// It is this call's, from now on.
    New,
    /// The call has been answered.
    Answered(Answer),
    /// It stands for another operation, or for other arguments.
    Taken,
    /// The call was started at this time, and never answered.
    Unfinished(String),
}

/// The first answer to a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// What the handler gave.
    Ok(Value),
    /// How the call failed.
    Error(Fault),
}

/// A row of the table.
struct Found {
    operation: String,
    arguments: Vec<u8>,
    started: i64,
    answer: Option<String>,
}

impl Database {
    pub(super) fn claim(&mut self, claim: &Claim) -> Result<Claimed, Unusable> {
        let change = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let now = Timestamp::now().as_millisecond();
        change.execute("DELETE FROM idempotency WHERE started < ?1", [now - KEPT])?;
        let claimed = match find(&change, claim)? {
            None => Claimed::New,
            Some(found)
                if found.operation != claim.operation || found.arguments != claim.arguments =>
            {
                Claimed::Taken
            }
            Some(Found { answer: Some(answer), .. }) => {
                Claimed::Answered(serde_json::from_str(&answer)?)
            }
            Some(_) if claim.is_idempotent => Claimed::New,
            Some(found) => {
                let started = Timestamp::from_millisecond(found.started).unwrap_or_default();
                Claimed::Unfinished(stamp(started))
            }
        };
        if matches!(claimed, Claimed::New) {
            change.execute(
                "INSERT OR REPLACE INTO idempotency (principal, key, operation, arguments, started)
                VALUES (:principal, :key, :operation, :arguments, :started)",
                named_params! {
                    ":principal": claim.principal.as_str(),
                    ":key": claim.key.0,
                    ":operation": claim.operation,
                    ":arguments": claim.arguments,
                    ":started": now,
                },
            )?;
        }
        change.commit()?;
        Ok(claimed)
    }

    pub(super) fn settle(
        &mut self,
        claim: &Claim,
        answer: Option<&Answer>,
    ) -> Result<(), Unusable> {
        let (principal, key) = (claim.principal.as_str(), &claim.key.0);
        match answer {
            Some(answer) => self.0.execute(
                "UPDATE idempotency SET answer = ?3 WHERE principal = ?1 AND key = ?2",
                params![principal, key, serde_json::to_string(answer)?],
            )?,
            None => self.0.execute(
                "DELETE FROM idempotency WHERE principal = ?1 AND key = ?2",
                params![principal, key],
            )?,
        };
        Ok(())
    }
}

fn find(change: &Transaction<'_>, claim: &Claim) -> rusqlite::Result<Option<Found>> {
    change
        .query_row(
            "SELECT operation, arguments, started, answer FROM idempotency
            WHERE principal = ?1 AND key = ?2",
            params![claim.principal.as_str(), claim.key.0],
            |row| {
                Ok(Found {
                    operation: row.get(0)?,
                    arguments: row.get(1)?,
                    started: row.get(2)?,
                    answer: row.get(3)?,
                })
            },
        )
        .optional()
}
