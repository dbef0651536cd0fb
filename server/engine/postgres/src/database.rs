//! Statements, each with an end. All are sent with the types of their values, because a pooler does not keep prepared
//! statements, and name the schema of their tables, because it does not keep a search path either.

use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{CancelToken, Client, Row};

use crate::address::Address;
use crate::tls::{self, Connector};

/// How long a statement of a call may take, with the wait for a connection.
pub(crate) const LONGEST: Duration = Duration::from_secs(4);

/// What mends a schema that the role of the address may not migrate, or use.
pub(crate) const OWNER_MIGRATES: &str = "Run `migrate --grant ROLE` with an address in --state whose role owns the schema, or may create it. ROLE is that of this address.";

/// What mends a database that does not answer.
const UNREACHABLE: &str =
    "Correct the host and the port in --state, and let this machine reach the database.";

/// A value of a statement, and its type.
pub(crate) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// No answer came in time.
    #[error("the database did not answer within {} s", .0.as_secs())]
    Late(Duration),
    /// TLS is not available.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
    /// The pool cannot be used.
    #[error("no connection is available: {0}")]
    Pool(String),
    /// The database, or the connection to it.
    #[error("{}", explain(.0))]
    Database(#[from] tokio_postgres::Error),
    /// A stored text cannot be parsed.
    #[error("a stored text is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The lease of this replica has lapsed, or is not yet there.
    #[error("this replica has no lease, so that it starts no call with an idempotency key")]
    NoLease,
    /// A connection that listens gets no notices.
    #[error("none came back; `direct` in [state] must name the database itself")]
    Silent,
    /// The system returns no random numbers.
    #[error("the system returns no random numbers for a key")]
    NoRandomNumbers,
    /// A secret cannot be stored as it is.
    #[error("a secret cannot be sealed")]
    NotSealed,
    /// The audit has dropped records, or they wait for the database.
    #[error("calls are not recorded, and [state] audit requires it")]
    NotRecorded,
    /// The answer was not conclusive, even after some repetitions.
    #[error("other replicas changed the row again and again")]
    Contended,
}

impl Failed {
    /// The code of the database's error, if it has answered.
    pub(crate) fn state(&self) -> Option<&SqlState> {
        match self {
            Failed::Database(error) => error.code(),
            _ => None,
        }
    }

    /// Returns what mends it.
    pub fn fix(&self) -> &'static str {
        match self {
            Failed::Database(error) => {
                let class = error.code().map(|code| (code.code(), &code.code()[..2]));
                match class {
                    Some((_, "28")) => "Correct the user and the password in --state.",
                    Some(("3D000", _)) => "Create the database, or correct its name in --state.",
                    Some(("42501", _)) => OWNER_MIGRATES,
                    Some(("25006", _)) => {
                        "Name the primary in --state; with several hosts, add target_session_attrs=read-write to the address."
                    }
                    Some(("53300", _)) => {
                        "Lower `pool` in [state], or raise max_connections of the database."
                    }
                    Some(_) => "Mend what the database says, or name another one in --state.",
                    None if explain(error).contains("TLS") => {
                        "Let the database offer TLS with a certificate for its host, or correct `sslmode` and `sslrootcert` in --state."
                    }
                    None => UNREACHABLE,
                }
            }
            Failed::Late(_) => {
                "Correct the host and the port in --state, and let this machine reach the database. If it answers others, raise `pool` in [state]."
            }
            Failed::Tls(_) => "Correct `sslrootcert` in --state.",
            Failed::Silent => "Set `direct` in [state] to the address of the database itself.",
            _ => UNREACHABLE,
        }
    }

    /// Whether the connection was lost.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self, Failed::Database(error) if error.is_closed())
    }

    /// Whether the database answers, and has refused the statement: its values, or the statement as it is or is permitted.
    pub(crate) fn is_refused(&self) -> bool {
        self.state().is_some_and(|state| ["22", "23", "42"].contains(&&state.code()[..2]))
    }

    /// Whether the same values would be refused again, whatever an operator mends.
    pub(crate) fn refuses_values(&self) -> bool {
        // Classes of the SQL standard: data and constraints. No table has checks: one is missing for a day of the audit.
        self.state().is_some_and(|state| {
            ["22", "23"].contains(&&state.code()[..2]) && *state != SqlState::CHECK_VIOLATION
        })
    }
}

impl From<PoolError> for Failed {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => Failed::Database(error),
            error => Failed::Pool(error.to_string()),
        }
    }
}

/// How rustls shows that a server has the certificate of an authority.
const AUTHORITY: &str = "Other(OtherError(CaUsedAsEndEntity))";

/// The text of an error with its causes: its own is only `db error`.
fn explain(error: &tokio_postgres::Error) -> String {
    if let Some(error) = error.as_db_error() {
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        return format!("{} ({}){hint}", error.message(), error.code().code());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let part = error.to_string().replace(
            AUTHORITY,
            "it is that of an authority, which must sign another one for the server",
        );
        if !text.contains(&part) {
            text = format!("{text}: {part}");
        }
        cause = error.source();
    }
    text
}

/// Connections to the database. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Database {
    pool: Pool,
    tls: Connector,
    /// How long a statement may take, or a transaction.
    limit: Duration,
}

impl Database {
    /// Prepares connections, and opens none.
    ///
    /// # Errors
    /// If TLS is not available.
    pub(crate) fn new(
        address: &Address,
        connections: usize,
        limit: Duration,
    ) -> Result<Self, Failed> {
        let tls = tls::connector(&address.security)?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), tls.clone(), recycling);
        let pool = Pool::builder(manager).max_size(connections.max(1)).runtime(Runtime::Tokio1);
        let pool = pool.build().map_err(|error| Failed::Pool(error.to_string()))?;
        Ok(Self { pool, tls, limit })
    }

    /// Runs a statement, and returns its rows.
    ///
    /// # Errors
    /// If it fails, or takes too long. It may have been carried out.
    pub(crate) async fn rows(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, Failed> {
        self.run(async |client| Ok(client.query_typed(statement, values).await?)).await
    }

    /// Runs a statement, and returns its first row.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub(crate) async fn row(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Option<Row>, Failed> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    /// Runs a statement, and returns how many rows it changed.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub(crate) async fn execute(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<u64, Failed> {
        self.run(async |client| Ok(client.execute_typed(statement, values).await?)).await
    }

    /// Runs statements without values.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub(crate) async fn batch(&self, statements: &str) -> Result<(), Failed> {
        self.run(async |client| Ok(client.batch_execute(statements).await?)).await
    }

    /// Runs statements in a transaction.
    ///
    /// # Errors
    /// As [`Self::rows`]. The transaction was then rolled back, unless the connection was lost at its end.
    pub(crate) async fn transaction<T>(
        &self,
        work: impl AsyncFnOnce(&Client) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        self.run(async |client| {
            client.batch_execute("BEGIN").await?;
            let result = work(client).await?;
            client.batch_execute("COMMIT").await?;
            Ok(result)
        })
        .await
    }

    async fn run<T>(
        &self,
        work: impl AsyncFnOnce(&Client) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let used = async {
            let client = InUse::new(self.pool.get().await?, self.tls.clone());
            let result = work(&client).await;
            client.end(result.is_ok());
            result
        };
        timeout(self.limit, used).await.map_err(|_| Failed::Late(self.limit))?
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("pool", &self.pool.status()).finish_non_exhaustive()
    }
}

/// A connection in use. If it is dropped before the end, its statement is cancelled, and it is closed, so that no later
/// statement waits for it.
struct InUse {
    client: Option<Object>,
    cancel: CancelToken,
    tls: Connector,
}

impl InUse {
    fn new(client: Object, tls: Connector) -> Self {
        Self { cancel: client.cancel_token(), client: Some(client), tls }
    }

    /// Returns the connection to the pool, or closes it, because the server may have become one that refuses changes.
    fn end(mut self, is_usable: bool) {
        if let Some(client) = self.client.take().filter(|_| !is_usable) {
            drop(Object::take(client));
        }
    }
}

impl std::ops::Deref for InUse {
    type Target = Client;

    fn deref(&self) -> &Client {
        #[expect(
            clippy::expect_used,
            reason = "only `end` and `drop` take it, which both consume this"
        )]
        self.client.as_ref().expect("in use")
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
            let (cancel, tls) = (self.cancel.clone(), self.tls.clone());
            // If it cannot be cancelled, it ends with the connection at the latest.
            tokio::spawn(async move { timeout(LONGEST, cancel.cancel_query(tls)).await });
        }
    }
}
