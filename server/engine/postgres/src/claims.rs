//! Calls with an idempotency key. The database has one row for each key, and this replica remembers the attempts that it
//! runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use jiff::Timestamp;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer, IdempotencyKey};
use toolwrit_core::caller::principal::Principal;
use uuid::Uuid;

use crate::clock::Moment;
use crate::database::{Database, Failed, LONGEST, Value};
use crate::lease::Lease;

/// Takes a key that is free, expired, or of an idempotent call that nobody runs; or one that this very attempt has taken,
/// when the answer was lost. After the time `$8` nobody waits for the answer, and nothing is taken. The second part does not
/// see a row that is newer than the statement, so that there may be no answer.
const CLAIM: &str = "WITH mine AS (
        INSERT INTO toolwrit.claims AS c (principal, key, operation, arguments, owner, attempt, started)
        SELECT $1, $2, $3, $4, $5, $6, clock_timestamp() WHERE clock_timestamp() < $8
        ON CONFLICT (principal, key) DO UPDATE SET
            operation = excluded.operation, arguments = excluded.arguments, owner = excluded.owner,
            attempt = excluded.attempt, started = excluded.started, answer = NULL
        WHERE clock_timestamp() < $8 AND (c.started < clock_timestamp() - interval '1 day'
            OR c.answer IS NULL AND c.operation = excluded.operation AND c.arguments = excluded.arguments
            AND (c.attempt = excluded.attempt OR $7 AND NOT EXISTS (
                SELECT FROM toolwrit.replicas AS r
                WHERE r.id = c.owner AND r.id <> excluded.owner AND r.until > clock_timestamp())))
        RETURNING started)
    SELECT true AS mine, true AS same, true AS live, started, NULL::bytea AS answer FROM mine
    UNION ALL
    SELECT false, c.operation = $3 AND c.arguments = $4,
        EXISTS (SELECT FROM toolwrit.replicas AS r
            WHERE r.id = c.owner AND r.id <> $5 AND r.until > clock_timestamp()),
        c.started, c.answer
    FROM toolwrit.claims AS c
    WHERE c.principal = $1 AND c.key = $2 AND NOT EXISTS (SELECT FROM mine)";
/// An attempt is of one owner only, so that a late answer of another one changes nothing.
const ANSWER: &str = "UPDATE toolwrit.claims SET answer = $4
    WHERE principal = $1 AND key = $2 AND attempt = $3 AND (answer IS NULL OR answer = $4)";
const FREE: &str = "DELETE FROM toolwrit.claims
    WHERE principal = $1 AND key = $2 AND attempt = $3 AND answer IS NULL";
const ABANDON: &str = "UPDATE toolwrit.claims SET owner = NULL
    WHERE principal = $1 AND key = $2 AND attempt = $3 AND answer IS NULL";

/// How much longer than a statement may take its effect is awaited, because clocks are not equal.
const GRACE: Duration = Duration::from_secs(2);
/// How often a claim is repeated whose row others change at the same moment.
const MOST_TRIES: u32 = 100;

/// A key of a caller.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name(Principal, IdempotencyKey);

/// An attempt of this replica whose row is not final.
#[derive(Debug, Clone)]
struct Attempt {
    id: Uuid,
    /// The id of this replica under which it was claimed.
    owner: Uuid,
    stage: Stage,
}

#[derive(Debug, Clone)]
enum Stage {
    /// The call runs, as long as anyone holds its claim.
    Running(Weak<Claim>),
    /// The answer to the claim was lost at this moment. Repeated, the call goes on with this attempt.
    Uncertain(Moment),
    /// The call has ended, and its row is to be changed.
    Ended(Outcome),
}

/// What is to be written of a call that has ended.
#[derive(Debug, Clone)]
enum Outcome {
    Answered(Arc<[u8]>),
    /// It never ran, or may run again.
    Free,
    /// It was cancelled at an unknown point.
    Unknown,
}

/// The attempts that this replica runs, or still has to write.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<HashMap<Name, Attempt>>);

impl Claims {
    /// Claims a key.
    ///
    /// # Errors
    /// If the database fails, or this replica has no lease.
    pub(crate) async fn claim(
        &self,
        database: &Database,
        lease: &Lease,
        claim: &Arc<Claim>,
    ) -> Result<Claimed, Failed> {
        let name = Name::of(claim);
        self.settle_one(database, &name).await?;
        let owner = lease.holder()?;
        let deadline = lease.database_time()? + LONGEST;
        let id = match self.begin(&name, claim, owner) {
            Ok(id) => id,
            Err(other) => {
                let is_same =
                    other.operation == claim.operation && other.arguments == claim.arguments;
                return Ok(if is_same { Claimed::Running } else { Claimed::Taken });
            }
        };
        let claimed = take(database, claim, (owner, id), deadline).await;
        // The lease may have lapsed meanwhile, so that others might run the call, too.
        let claimed = claimed.and_then(|claimed| match claimed {
            Claimed::New if lease.holder()? != owner => Err(Failed::NoLease),
            claimed => Ok(claimed),
        });
        match &claimed {
            Ok(Claimed::New) => {}
            Err(_) => self.set(&name, Stage::Uncertain(Moment::now())),
            Ok(_) => drop(self.lock().remove(&name)),
        }
        claimed
    }

    /// Whether a call may begin that has claimed its key: the lease is still the one under which it has.
    pub(crate) fn holds(&self, lease: &Lease, claim: &Claim) -> bool {
        let owner = self.lock().get(&Name::of(claim)).map(|attempt| attempt.owner);
        owner.is_some_and(|owner| lease.holder().is_ok_and(|holder| holder == owner))
    }

    /// Writes the outcome of a call. If that fails, [`Self::settle`] tries again.
    ///
    /// # Errors
    /// If it is not written yet.
    pub(crate) async fn complete(
        &self,
        database: &Database,
        claim: &Claim,
        answer: Option<&ClaimedAnswer>,
    ) -> Result<(), Failed> {
        let name = Name::of(claim);
        let outcome = match answer {
            Some(answer) => Outcome::Answered(serde_json::to_vec(answer)?.into()),
            None => Outcome::Free,
        };
        self.end(&name, outcome);
        self.settle_one(database, &name).await
    }

    /// Frees the key of a call that never started, because its caller is gone.
    pub(crate) fn free(&self, claim: &Claim) {
        self.end(&Name::of(claim), Outcome::Free);
    }

    /// Writes the outcomes that are still to be written.
    ///
    /// # Errors
    /// If the database does not answer, or has refused one.
    pub(crate) async fn settle(&self, database: &Database) -> Result<(), Failed> {
        let names: Vec<Name> = {
            let mut attempts = self.lock();
            for attempt in attempts.values_mut() {
                match &attempt.stage {
                    // Nobody can complete it any more.
                    Stage::Running(claim) if claim.strong_count() == 0 => {
                        attempt.stage = Stage::Ended(Outcome::Unknown);
                    }
                    // Its statement can no longer take the key.
                    Stage::Uncertain(since) if since.elapsed() > LONGEST + GRACE => {
                        attempt.stage = Stage::Ended(Outcome::Free);
                    }
                    Stage::Running(_) | Stage::Uncertain(_) | Stage::Ended(_) => {}
                }
            }
            let ended = |attempt: &Attempt| matches!(attempt.stage, Stage::Ended(_));
            attempts.iter().filter(|(_, it)| ended(it)).map(|(name, _)| name.clone()).collect()
        };
        let mut settled = Ok(());
        for name in names {
            match self.settle_one(database, &name).await {
                // It must not keep the others from being written.
                Err(failed) if failed.is_refused() => settled = Err(failed),
                result => result?,
            }
        }
        settled
    }

    async fn settle_one(&self, database: &Database, name: &Name) -> Result<(), Failed> {
        let found = self.lock().get(name).cloned();
        let Some(Attempt { id, stage: Stage::Ended(outcome), .. }) = found else { return Ok(()) };
        let result = outcome.write(database, name, id).await;
        let mut attempts = self.lock();
        let Some(attempt) = attempts.get_mut(name).filter(|attempt| attempt.id == id) else {
            return result;
        };
        match (&result, outcome) {
            // Others must not take for running what has ended.
            (Err(failed), Outcome::Answered(_)) if failed.refuses_values() => {
                attempt.stage = Stage::Ended(Outcome::Unknown);
            }
            (Err(failed), _) if !failed.refuses_values() => {}
            (Ok(()) | Err(_), _) => drop(attempts.remove(name)),
        }
        result
    }

    /// Begins an attempt, and returns its id: that of an uncertain one, or a new one. If a call of this replica has the key,
    /// returns that call.
    fn begin(&self, name: &Name, claim: &Arc<Claim>, owner: Uuid) -> Result<Uuid, Arc<Claim>> {
        // Looked at and entered under one lock: two attempts at once would end each other.
        let mut attempts = self.lock();
        let id = match attempts.get(name) {
            Some(Attempt { id, stage: Stage::Uncertain(_), .. }) => *id,
            Some(Attempt { stage: Stage::Running(other), .. }) => match other.upgrade() {
                Some(other) => return Err(other),
                None => Uuid::now_v7(),
            },
            _ => Uuid::now_v7(),
        };
        let attempt = Attempt { id, owner, stage: Stage::Running(Arc::downgrade(claim)) };
        attempts.insert(name.clone(), attempt);
        Ok(id)
    }

    fn end(&self, name: &Name, outcome: Outcome) {
        self.set(name, Stage::Ended(outcome));
    }

    fn set(&self, name: &Name, stage: Stage) {
        if let Some(attempt) = self.lock().get_mut(name) {
            attempt.stage = stage;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Name, Attempt>> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Name {
    fn of(claim: &Claim) -> Self {
        Self(claim.principal.clone(), claim.key.clone())
    }
}

impl Outcome {
    async fn write(
        &self,
        database: &Database,
        Name(principal, key): &Name,
        attempt: Uuid,
    ) -> Result<(), Failed> {
        let (principal, key) = (principal.as_str(), key.as_str().as_bytes());
        let mut values: Vec<Value<'_>> =
            vec![(&principal, Type::TEXT), (&key, Type::BYTEA), (&attempt, Type::UUID)];
        let answer;
        let statement = match self {
            Outcome::Answered(text) => {
                answer = &**text;
                values.push((&answer, Type::BYTEA));
                ANSWER
            }
            Outcome::Free => FREE,
            Outcome::Unknown => ABANDON,
        };
        if database.execute(statement, &values).await? == 0 {
            tracing::debug!(
                principal,
                "another replica has taken over the call, or it was never claimed"
            );
        }
        Ok(())
    }
}

/// Sends the claim until the answer is conclusive.
async fn take(
    database: &Database,
    claim: &Claim,
    (owner, attempt): (Uuid, Uuid),
    deadline: Timestamp,
) -> Result<Claimed, Failed> {
    let (principal, key) = (claim.principal.as_str(), claim.key.as_str().as_bytes());
    let arguments = &claim.arguments[..];
    let values: [Value<'_>; 8] = [
        (&principal, Type::TEXT),
        (&key, Type::BYTEA),
        (&claim.operation, Type::TEXT),
        (&arguments, Type::BYTEA),
        (&owner, Type::UUID),
        (&attempt, Type::UUID),
        (&claim.is_idempotent, Type::BOOL),
        (&deadline, Type::TIMESTAMPTZ),
    ];
    let mut was_lost = false;
    for _ in 0..MOST_TRIES {
        let row = match database.row(CLAIM, &values).await {
            // The database has closed a connection of the pool. The same attempt takes a key only once.
            Err(failed) if failed.is_lost() && !std::mem::replace(&mut was_lost, true) => continue,
            row => row?,
        };
        let claimed = row.map(|row| read(&row)).transpose()?;
        match claimed {
            // A row that the statement did not see yet.
            None => {}
            // The row as it was before another replica took it.
            Some(Claimed::Unfinished(_)) if claim.is_idempotent => {}
            Some(claimed) => return Ok(claimed),
        }
        tokio::task::yield_now().await;
    }
    Err(Failed::Contended)
}

fn read(row: &Row) -> Result<Claimed, Failed> {
    let [is_mine, is_same, is_live]: [bool; 3] =
        [row.try_get("mine")?, row.try_get("same")?, row.try_get("live")?];
    let answer: Option<&[u8]> = row.try_get("answer")?;
    Ok(match answer {
        _ if is_mine => Claimed::New,
        _ if !is_same => Claimed::Taken,
        Some(answer) => Claimed::Answered(serde_json::from_slice(answer)?),
        None if is_live => Claimed::Running,
        None => {
            let started: Timestamp = row.try_get("started")?;
            Claimed::Unfinished(format!("{started:.3}"))
        }
    })
}
