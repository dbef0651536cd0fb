//! The table of idempotency keys and the answers of their calls.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, named_params, params};

use super::audit::format_time;
use super::database::{Database, UnusableDatabase};
use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer};

/// How long a key and its answer are kept, in milliseconds: one day.
const KEPT: i64 = 24 * 60 * 60 * 1000;

/// A row of the table.
struct KeyRow {
    operation: String,
    arguments: Vec<u8>,
    started: i64,
    answer: Option<String>,
}

impl Database {
    pub(super) fn claim(&mut self, claim: &Claim) -> Result<Claimed, UnusableDatabase> {
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
            Some(KeyRow { answer: Some(answer), .. }) => {
                Claimed::Answered(serde_json::from_str(&answer)?)
            }
            Some(_) if claim.is_idempotent => Claimed::New,
            Some(found) => {
                let started = Timestamp::from_millisecond(found.started).unwrap_or_default();
                Claimed::Unfinished(format_time(started))
            }
        };
        if matches!(claimed, Claimed::New) {
            change.execute(
                "INSERT OR REPLACE INTO idempotency (principal, key, operation, arguments, started)
                VALUES (:principal, :key, :operation, :arguments, :started)",
                named_params! {
                    ":principal": claim.principal.as_str(),
                    ":key": claim.key.as_str(),
                    ":operation": claim.operation,
                    ":arguments": claim.arguments,
                    ":started": now,
                },
            )?;
        }
        change.commit()?;
        Ok(claimed)
    }

    pub(super) fn complete(
        &mut self,
        claim: &Claim,
        answer: Option<&ClaimedAnswer>,
    ) -> Result<(), UnusableDatabase> {
        let (principal, key) = (claim.principal.as_str(), claim.key.as_str());
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

fn find(change: &Transaction<'_>, claim: &Claim) -> rusqlite::Result<Option<KeyRow>> {
    change
        .query_row(
            "SELECT operation, arguments, started, answer FROM idempotency
            WHERE principal = ?1 AND key = ?2",
            params![claim.principal.as_str(), claim.key.as_str()],
            |row| {
                Ok(KeyRow {
                    operation: row.get(0)?,
                    arguments: row.get(1)?,
                    started: row.get(2)?,
                    answer: row.get(3)?,
                })
            },
        )
        .optional()
}
