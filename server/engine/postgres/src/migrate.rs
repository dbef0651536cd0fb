//! The schema of the database, and which programs it serves. Two versions of the program run side by side while replicas
//! are replaced: a version adds what it needs, and only the next one removes what the older one needed.

use std::ops::RangeInclusive;

use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use crate::database::{Database, Failed, OWNER_MIGRATES};

/// The schemas with which this program works. It migrates an older one to the newest.
pub(crate) const SUPPORTED: RangeInclusive<u32> = 1..=3;

/// The migrations. The one at position `n` leads from version `n` to `n + 1`. Migrations are only added, never changed.
const MIGRATIONS: [Migration; 3] = [
    Migration { statements: include_str!("schema/1.sql"), oldest: 1 },
    Migration { statements: include_str!("schema/2.sql"), oldest: 1 },
    Migration { statements: include_str!("schema/3.sql"), oldest: 1 },
];

struct Migration {
    statements: &'static str,
    /// The oldest program, by the newest schema that it knows, that works with the result.
    oldest: u32,
}

/// The schema in the database, and the oldest program that it serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) current: u32,
    oldest: u32,
}

/// Why this program cannot use the schema.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// The database cannot store all texts.
    #[error("the database has the encoding {0}")]
    Encoding(String),
    /// It has none, which the first server creates.
    #[error("it has no schema yet")]
    Missing,
    /// Something else has a schema of this name.
    #[error("its schema `toolwrit` is that of something else")]
    Foreign,
    /// A later program has changed it, and dropped what this one needs.
    #[error(
        "its schema has version {current}, which serves programs from version {oldest} on, and this one has {newest}"
    )]
    Newer {
        /// Its version.
        current: u32,
        /// The oldest program that it serves.
        oldest: u32,
        /// The newest version that this program knows.
        newest: u32,
    },
    /// It is missing or too old, and this role may not change it.
    #[error(
        "its schema must be migrated from version {current} to {newest}, which the role of its address may not do ({reason})"
    )]
    Forbidden {
        /// Its version; 0 if it is missing.
        current: u32,
        /// The version that this program needs.
        newest: u32,
        /// The database's reason.
        reason: String,
    },
    /// The database did not carry it out.
    #[error(transparent)]
    Failed(#[from] Failed),
}

impl Unusable {
    /// Returns what mends it.
    pub fn fix(&self) -> &'static str {
        match self {
            Unusable::Encoding(_) => {
                "Name a database in --state that was created with ENCODING 'UTF8'."
            }
            Unusable::Missing => "Start a server with this --state, or run `migrate`.",
            Unusable::Foreign => "Name another database in --state.",
            Unusable::Newer { .. } => "Update this program.",
            Unusable::Forbidden { .. } => OWNER_MIGRATES,
            Unusable::Failed(failed) => failed.fix(),
        }
    }

    /// Returns what is wrong, and what mends it.
    pub(crate) fn with_fix(&self) -> String {
        format!("{self}. {}", self.fix())
    }

    /// Whether only an operator can mend it.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, Unusable::Failed(_))
    }
}

/// Makes sure that the schema fits, and returns its version. Replicas that do this at the same time wait for each other.
///
/// # Errors
/// If it does not fit and cannot be migrated.
pub(crate) async fn prepare(
    database: &Database,
    supported: &RangeInclusive<u32>,
) -> Result<u32, Unusable> {
    let row = database.row("SELECT current_setting('server_encoding')", &[]).await?;
    let encoding: String = row.ok_or(Failed::Contended)?.try_get(0).map_err(Failed::Database)?;
    if encoding != "UTF8" {
        return Err(Unusable::Encoding(encoding));
    }
    let found = find(database).await?;
    if let Some(version) = found
        && version.current >= *supported.end()
    {
        return version.serves(supported);
    }
    match database.transaction(async |client| advance(client, supported).await).await {
        Ok(version) => version.serves(supported),
        Err(failed) if failed.state() == Some(&SqlState::DUPLICATE_TABLE) => Err(Unusable::Foreign),
        Err(failed) if failed.state() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => match found {
            // An owner migrates it later; until then it serves as it is.
            Some(version) if supported.contains(&version.current) => Ok(version.current),
            _ => Err(Unusable::Forbidden {
                current: found.map_or(0, |version| version.current),
                newest: *supported.end(),
                reason: failed.to_string(),
            }),
        },
        Err(failed) => Err(failed.into()),
    }
}

/// Lets a role serve: it may not change recorded calls, nor the schema.
///
/// # Errors
/// If the role does not exist, or this one may not grant.
pub(crate) async fn grant(database: &Database, role: &str) -> Result<(), Failed> {
    let row =
        database.row("SELECT quote_ident($1), quote_literal($1)", &[(&role, Type::TEXT)]).await?;
    let row = row.ok_or(Failed::Contended)?;
    let [role, quoted]: [String; 2] = [row.try_get(0)?, row.try_get(1)?];
    // Calls are added to the table, and so to its partitions.
    let partitions = format!(
        "DO $$ DECLARE part regclass; BEGIN
            FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'toolwrit.audit'::regclass LOOP
                EXECUTE format('REVOKE ALL ON %s FROM %I', part, {quoted});
            END LOOP;
        END $$"
    );
    let statements = format!(
        "GRANT USAGE ON SCHEMA toolwrit TO {role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA toolwrit TO {role};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA toolwrit TO {role};
        {partitions};
        REVOKE UPDATE, DELETE ON toolwrit.audit FROM {role};
        REVOKE INSERT, UPDATE, DELETE ON toolwrit.version FROM {role};
        GRANT EXECUTE ON FUNCTION toolwrit.keep_days(integer, integer) TO {role}"
    );
    database.batch(&statements).await
}

/// Checks that the schema still fits: a later program may have changed it.
///
/// # Errors
/// If it does not.
pub(crate) async fn check(
    database: &Database,
    supported: &RangeInclusive<u32>,
) -> Result<u32, Unusable> {
    match find(database).await? {
        Some(version) => version.serves(supported),
        None => prepare(database, supported).await,
    }
}

const READ: &str = "SELECT current, oldest FROM toolwrit.version";
const LOCK: &str = "SELECT pg_advisory_xact_lock(hashtextextended('toolwrit.migrate', 0))";
const WRITE: &str = "INSERT INTO toolwrit.version (current, oldest) VALUES ($1, $2)
    ON CONFLICT (one) DO UPDATE SET current = excluded.current, oldest = excluded.oldest";

/// Returns the schema's version; `None` if there is none.
///
/// # Errors
/// If it cannot be read.
pub(crate) async fn find(database: &Database) -> Result<Option<Version>, Failed> {
    version(database.row(READ, &[]).await)
}

/// Returns the schema's version, as read; `None` if there is none.
fn version(read: Result<Option<tokio_postgres::Row>, Failed>) -> Result<Option<Version>, Failed> {
    const ABSENT: [&SqlState; 2] = [&SqlState::UNDEFINED_TABLE, &SqlState::INVALID_SCHEMA_NAME];
    match read {
        Err(failed) if failed.state().is_some_and(|state| ABSENT.contains(&state)) => Ok(None),
        Err(failed) => Err(failed),
        Ok(None) => Ok(None),
        Ok(Some(row)) => {
            let number = |at| row.try_get(at).map(|number: i32| number.unsigned_abs());
            Ok(Some(Version { current: number(0)?, oldest: number(1)? }))
        }
    }
}

/// Migrates the schema under a lock, as far as this program knows it.
async fn advance(
    client: &tokio_postgres::Client,
    supported: &RangeInclusive<u32>,
) -> Result<Version, Failed> {
    client.query_typed(LOCK, &[]).await?;
    // Asked first, because a failed statement would end the transaction.
    let exists =
        client.query_typed("SELECT to_regclass('toolwrit.version') IS NOT NULL", &[]).await?;
    let exists = exists.first().map(|row| row.try_get(0)).transpose()?.unwrap_or(false);
    let found = if exists { client.query_typed(READ, &[]).await?.into_iter().next() } else { None };
    let found = version(Ok(found))?;
    let mut at = found.unwrap_or(Version { current: 0, oldest: 0 });
    let newest = *supported.end() as usize;
    for migration in MIGRATIONS.iter().take(newest).skip(at.current as usize) {
        client.batch_execute(migration.statements).await?;
        at = Version { current: at.current + 1, oldest: at.oldest.max(migration.oldest) };
    }
    if found != Some(at) {
        let number = |version: u32| i32::try_from(version).unwrap_or(i32::MAX);
        let values = [number(at.current), number(at.oldest)];
        client.execute_typed(WRITE, &[(&values[0], Type::INT4), (&values[1], Type::INT4)]).await?;
    }
    Ok(at)
}

impl Version {
    /// Returns the version if a program that supports these schemas works with it.
    ///
    /// # Errors
    /// If it does not.
    pub(crate) fn serves(self, supported: &RangeInclusive<u32>) -> Result<u32, Unusable> {
        let newest = *supported.end();
        if newest < self.oldest {
            return Err(Unusable::Newer { current: self.current, oldest: self.oldest, newest });
        }
        Ok(self.current)
    }
}
