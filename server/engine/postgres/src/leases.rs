//! Leases by name: what one process at a time has or does.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::clock::Moment;
use crate::database::{Database, Failed, Value};

/// Takes a lease that is free, lapsed or this process's own; otherwise returns who has it.
const TAKE: &str = "WITH mine AS (
        INSERT INTO toolwrit.leases AS l (name, owner, replica, fence, until)
        VALUES ($1, $2, $3, 1, clock_timestamp() + interval '10 s')
        ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, replica = excluded.replica,
            until = excluded.until, fence = l.fence + (l.owner <> excluded.owner)::integer
        WHERE l.owner = excluded.owner OR l.until < clock_timestamp()
        RETURNING name)
    SELECT NULL::text FROM mine
    UNION ALL
    SELECT replica FROM toolwrit.leases WHERE name = $1 AND NOT EXISTS (SELECT FROM mine)";
/// One that another process took after it had lapsed is not renewed.
const RENEW: &str = "UPDATE toolwrit.leases SET until = clock_timestamp() + interval '10 s'
    WHERE owner = $1 AND name = ANY($2) RETURNING name";
const RELEASE: &str = "DELETE FROM toolwrit.leases WHERE owner = $1 AND name = $2";
const END: &str = "DELETE FROM toolwrit.leases WHERE owner = $1";
/// How often a lease is asked for that others change at the same moment.
const MOST_TRIES: u32 = 10;

/// The leases that this process has.
#[derive(Debug)]
pub(crate) struct Leases {
    /// Stays the same while the process lives, unlike the id of the replica.
    owner: Uuid,
    replica: String,
    /// The names, each with the moment at which it was taken.
    names: Mutex<HashMap<String, Moment>>,
}

impl Leases {
    pub(crate) fn new(replica: String) -> Self {
        Self { owner: Uuid::now_v7(), replica, names: Mutex::default() }
    }

    /// Takes a lease until the process ends. Returns the replica that has it, if that is another.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn take(
        &self,
        database: &Database,
        name: &str,
    ) -> Result<Option<String>, Failed> {
        let values: [Value<'_>; 3] =
            [(&name, Type::TEXT), (&self.owner, Type::UUID), (&self.replica, Type::TEXT)];
        for _ in 0..MOST_TRIES {
            // Without a row, another process has taken it since the statement began.
            let Some(row) = database.row(TAKE, &values).await? else { continue };
            let other: Option<String> = row.try_get(0)?;
            if other.is_none() {
                self.names().insert(name.to_owned(), Moment::now());
            }
            return Ok(other);
        }
        Err(Failed::Contended)
    }

    /// Renews the leases.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn renew(&self, database: &Database) -> Result<(), Failed> {
        let held = self.names().clone();
        if held.is_empty() {
            return Ok(());
        }
        let names: Vec<&String> = held.keys().collect();
        let values: [Value<'_>; 2] = [(&self.owner, Type::UUID), (&names, Type::TEXT_ARRAY)];
        let rows = database.rows(RENEW, &values).await?;
        let renewed: HashSet<String> =
            rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        for (name, taken) in held.iter().filter(|(name, _)| !renewed.contains(*name)) {
            let mut names = self.names();
            // It may have been released meanwhile, and taken again.
            if names.get(name) == Some(taken) {
                names.remove(name);
                tracing::error!(lease = name, "another process has taken a lease that had lapsed");
            }
        }
        Ok(())
    }

    /// Leaves a lease to others. If the database fails, it lapses.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn release(&self, database: &Database, name: &str) -> Result<(), Failed> {
        if self.names().remove(name).is_none() {
            return Ok(());
        }
        let values: [Value<'_>; 2] = [(&self.owner, Type::UUID), (&name, Type::TEXT)];
        database.execute(RELEASE, &values).await.map(drop)
    }

    /// Leaves the leases to others.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn end(&self, database: &Database) -> Result<(), Failed> {
        database.execute(END, &[(&self.owner, Type::UUID)]).await.map(drop)
    }

    fn names(&self) -> MutexGuard<'_, HashMap<String, Moment>> {
        // No code that can panic runs under the lock.
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
