//! The limits of callers, over all replicas. While the database is away, each replica allows its part of them.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use tokio_postgres::types::Type;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::shared::{Limited, Local, RequestRate};

use crate::audit::write::{storable, to_bigint};
use crate::database::{Database, Failed, Value};
use crate::lease::Lease;

/// Takes calls from a bucket of a table, as the generic cell rate algorithm does. `$1` are the seconds of the calls that are
/// taken, and `$2` those of a burst. The columns of the bucket's name follow.
macro_rules! take {
    ($table:literal, $columns:literal, $values:literal) => {
        concat!(
            "WITH mine AS (
                INSERT INTO toolwrit.",
            $table,
            " AS b (",
            $columns,
            ", tat)
                VALUES (",
            $values,
            ", clock_timestamp() + $1 * interval '1 second')
                ON CONFLICT (",
            $columns,
            ") DO UPDATE SET tat = greatest(b.tat, clock_timestamp()) + $1 * interval '1 second'
                WHERE greatest(b.tat, clock_timestamp()) + $1 * interval '1 second'
                    <= clock_timestamp() + $2 * interval '1 second'
                RETURNING tat)
            SELECT 0::float8 FROM mine
            UNION ALL
            SELECT extract(epoch FROM tat - clock_timestamp())::float8 + $1 - $2 FROM toolwrit.",
            $table,
            " WHERE (",
            $columns,
            ") = (",
            $values,
            ") AND NOT EXISTS (SELECT FROM mine)"
        )
    };
}
const TAKE_CALLS: &str = take!("buckets", "principal, rate", "$3, $4");
const TAKE_REQUESTS: &str = take!("api_rates", "api", "$3");
/// Counts a call in an hour that has calls left, or in a new one.
const COUNT: &str = "WITH mine AS (
        INSERT INTO toolwrit.hours AS h (principal, calls, until)
        VALUES ($1, 1, clock_timestamp() + interval '1 hour')
        ON CONFLICT (principal) DO UPDATE SET
            calls = CASE WHEN h.until <= clock_timestamp() THEN 1 ELSE h.calls + 1 END,
            until = CASE WHEN h.until <= clock_timestamp() THEN excluded.until ELSE h.until END
        WHERE h.until <= clock_timestamp() OR h.calls < $2
        RETURNING calls)
    SELECT 0::float8 FROM mine
    UNION ALL
    SELECT extract(epoch FROM until - clock_timestamp())::float8 FROM toolwrit.hours
    WHERE principal = $1 AND NOT EXISTS (SELECT FROM mine)";
/// Counts a call of a session. `$2` are the calls that this replica knows, of which some may not have been counted while the
/// database was away.
const COUNT_IN_SESSION: &str = "INSERT INTO toolwrit.session_calls AS s (session, calls, until)
    VALUES ($1, $2, clock_timestamp() + interval '1 day')
    ON CONFLICT (session) DO UPDATE SET calls = greatest(s.calls + 1, $2), until = excluded.until
    RETURNING calls";

/// How often a statement is repeated whose row others change at the same moment.
const MOST_TRIES: u32 = 10;
/// The part of a second's calls that is taken at once.
const PART: u32 = 20;
/// How long calls that were taken can be used. Later they would add to a burst.
const USABLE: Duration = Duration::from_secs(1);
/// How long a call waits for the database, and how long it then counts as away.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);
/// Callers to keep before idle ones are dropped.
const KEPT: usize = 1024;

/// The limits, and what this replica remembers of them.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    rates: Remembered<(Principal, NonZeroU32)>,
    requests: Remembered<String>,
    hours: Remembered<Principal>,
    /// Those of this replica alone.
    local: Local,
    /// Until when the database is not asked, because it did not answer.
    away: Mutex<Option<Instant>>,
}

/// What is remembered of each caller. One statement at a time asks for more.
#[derive(Debug)]
struct Remembered<K>(Mutex<HashMap<K, Arc<tokio::sync::Mutex<Taken>>>>);

/// The last answer of the database.
#[derive(Debug, Default)]
struct Taken {
    /// Calls that were taken, and are left.
    left: u32,
    /// Until when they can be used.
    until: Option<Instant>,
    /// Until when no calls can be taken. Asking would lock the row.
    refused: Option<Instant>,
}

impl Limits {
    /// Takes a call from a principal's rate.
    ///
    /// # Errors
    /// The time until the next call is allowed.
    pub(crate) async fn take(
        &self,
        (database, lease): (&Database, &Lease),
        principal: Principal,
        rate: NonZeroU32,
    ) -> Limited {
        let calls = at_once(rate);
        let question = bucket(database, &principal, rate, calls);
        let taken = self.rates.of((principal.clone(), rate));
        let limited = self.taken(&taken, lease, (question, calls)).await;
        limited.unwrap_or_else(|| self.local.take_now(&principal, part(rate, lease.replicas())))
    }

    /// Takes a request from the rate of an API; `None` if the database does not answer.
    pub(crate) async fn take_request(
        &self,
        (database, lease): (&Database, &Lease),
        api: String,
        rate: RequestRate,
    ) -> Option<Limited> {
        let requests = at_once(rate.requests);
        let taken = self.requests.of(api.clone());
        self.taken(&taken, lease, (api_bucket(database, &api, rate, requests), requests)).await
    }

    /// Counts a call of a principal in its hour.
    ///
    /// # Errors
    /// The time until the hour ends, if it has no calls left.
    pub(crate) async fn count(
        &self,
        (database, lease): (&Database, &Lease),
        principal: Principal,
        most: u64,
    ) -> Limited {
        let taken = self.hours.of(principal.clone());
        let limited = self.taken(&taken, lease, (hour(database, &principal, most), 1)).await;
        let part = || self.local.count_now(&principal, most / u64::from(lease.replicas()));
        limited.unwrap_or_else(part)
    }

    /// Counts a call of a session, and returns how many it has made, as far as this replica knows.
    pub(crate) async fn count_in_session(
        &self,
        (database, lease): (&Database, &Lease),
        session: &SessionCalls,
        most: u64,
    ) -> u64 {
        let known = session.count();
        let Some(id) = session.id().filter(|_| known <= most) else { return known };
        let counted = self.ask(lease, count_in_session(database, id, known)).await;
        let counted = counted.map_or(known, i64::unsigned_abs);
        session.learn(counted);
        counted
    }

    /// Takes from what is left of an earlier answer, or asks the database for so many calls. `None` if it does not answer.
    async fn taken(
        &self,
        taken: &tokio::sync::Mutex<Taken>,
        lease: &Lease,
        (question, calls): (impl Future<Output = Result<Duration, Failed>>, u32),
    ) -> Option<Limited> {
        let mut taken = taken.lock().await;
        if let Some(limited) = taken.known() {
            return Some(limited);
        }
        let wait = self.ask(lease, question).await?;
        Some(taken.answered(wait, calls, USABLE))
    }

    /// Asks the database. `None` if it does not answer.
    async fn ask<T>(
        &self,
        lease: &Lease,
        question: impl Future<Output = Result<T, Failed>>,
    ) -> Option<T> {
        // No code that can panic runs under the lock.
        let away = || self.away.lock().unwrap_or_else(PoisonError::into_inner);
        if lease.is_late() || away().is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let answer = timeout(ANSWERS_WITHIN, question).await;
        let answer = answer.unwrap_or(Err(Failed::Late(ANSWERS_WITHIN)));
        let answer = answer.inspect_err(|error| {
            tracing::debug!(%error, "limits are counted by this replica alone");
            // A schema of the version before lacks a table, and has the others.
            if !error.is_refused() {
                *away() = Some(Instant::now() + ANSWERS_WITHIN);
            }
        });
        answer.ok()
    }
}

impl Taken {
    /// What the database need not be asked for.
    fn known(&mut self) -> Option<Limited> {
        let now = Instant::now();
        if let Some(wait) = self.refused.and_then(|until| until.checked_duration_since(now)) {
            return Some(Err(wait));
        }
        let is_usable = self.left > 0 && self.until.is_some_and(|until| now < until);
        is_usable.then(|| {
            self.left -= 1;
            Ok(())
        })
    }

    /// Remembers an answer: these calls, or how long to wait for them.
    fn answered(&mut self, wait: Duration, calls: u32, usable: Duration) -> Limited {
        let now = Instant::now();
        if wait.is_zero() {
            *self = Self { left: calls - 1, until: Some(now + usable), refused: None };
            return Ok(());
        }
        *self = Self { refused: Some(now + wait), ..Self::default() };
        Err(wait)
    }
}

impl<K> Default for Remembered<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + std::hash::Hash> Remembered<K> {
    fn of(&self, caller: K) -> Arc<tokio::sync::Mutex<Taken>> {
        // No code that can panic runs under the lock.
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= KEPT {
            let now = Instant::now();
            callers.retain(|_, taken| {
                // Locked is in use.
                let Ok(taken) = taken.try_lock() else { return true };
                taken.refused.max(taken.until).is_some_and(|until| now < until)
            });
        }
        callers.entry(caller).or_default().clone()
    }
}

/// The calls that are taken at once from a rate.
fn at_once(calls: NonZeroU32) -> u32 {
    (calls.get() / PART).max(1)
}

/// This replica's part of a rate.
fn part(rate: NonZeroU32, replicas: u32) -> NonZeroU32 {
    NonZeroU32::new(rate.get() / replicas).unwrap_or(NonZeroU32::MIN)
}

/// Takes calls from a bucket, and returns how long to wait for them.
async fn bucket(
    database: &Database,
    principal: &Principal,
    rate: NonZeroU32,
    calls: u32,
) -> Result<Duration, Failed> {
    let principal = storable(principal.as_str());
    let (rate, seconds) = (rate.get(), f64::from(calls) / f64::from(rate.get()));
    let rate = i32::try_from(rate).unwrap_or(i32::MAX);
    let values = [
        (&seconds as _, Type::FLOAT8),
        (&1.0f64 as _, Type::FLOAT8),
        (&principal as _, Type::TEXT),
        (&rate as _, Type::INT4),
    ];
    ask(database, TAKE_CALLS, &values).await
}

/// Takes requests from the bucket of an API, and returns how long to wait for them.
async fn api_bucket(
    database: &Database,
    api: &str,
    rate: RequestRate,
    requests: u32,
) -> Result<Duration, Failed> {
    let (api, burst) = (storable(api), rate.per.as_secs_f64());
    let seconds = burst * f64::from(requests) / f64::from(rate.requests.get());
    let values =
        [(&seconds as _, Type::FLOAT8), (&burst as _, Type::FLOAT8), (&api as _, Type::TEXT)];
    ask(database, TAKE_REQUESTS, &values).await
}

/// Counts a call in an hour, and returns how long to wait for it.
async fn hour(database: &Database, principal: &Principal, most: u64) -> Result<Duration, Failed> {
    let principal = storable(principal.as_str());
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let values: [Value<'_>; 2] = [(&principal, Type::TEXT), (&most, Type::INT8)];
    ask(database, COUNT, &values).await
}

/// Counts a call of a session of which this replica knows so many, and returns how many it has made.
async fn count_in_session(database: &Database, id: &str, known: u64) -> Result<i64, Failed> {
    let (id, known) = (storable(id), to_bigint(known));
    let values: [Value<'_>; 2] = [(&id, Type::TEXT), (&known, Type::INT8)];
    let row = database.row(COUNT_IN_SESSION, &values).await?.ok_or(Failed::Contended)?;
    Ok(row.try_get(0)?)
}

/// Returns how long a statement says to wait.
async fn ask(
    database: &Database,
    statement: &str,
    values: &[Value<'_>],
) -> Result<Duration, Failed> {
    for _ in 0..MOST_TRIES {
        // Without a row, it is newer than the statement.
        if let Some(row) = database.row(statement, values).await? {
            let seconds: f64 = row.try_get(0)?;
            // A row as it was before others took from it may say that the wait is over.
            return Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_millis(1)));
        }
    }
    Err(Failed::Contended)
}
