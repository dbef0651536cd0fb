//! What keeps a database from being used, before a server starts.

use jiff::{SignedDuration, Timestamp};
use tokio_postgres::error::SqlState;

use crate::database::{Database, Failed, LONGEST, OWNER_MIGRATES};
use crate::migrate::{self, Unusable};
use crate::notices::Listener;
use crate::settings::Settings;

/// The oldest version that has what the schema uses.
const OLDEST: i32 = 13;
/// The clock of a machine may differ so far. The audit has the database's time, and only logs have the machine's.
const MOST_OFFSET: SignedDuration = SignedDuration::from_secs(1);

const SERVER: &str = "SELECT current_setting('server_version_num')::integer / 10000, current_setting('server_version'),
    current_setting('server_encoding'), current_setting('transaction_read_only') = 'on',
    current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off',
    has_database_privilege(current_database(), 'CREATE'), clock_timestamp()";
/// The rights that the role lacks, on the tables that there are.
const LACKING: &str = "SELECT 'USAGE on the schema' FROM pg_namespace
    WHERE nspname = 'toolwrit' AND NOT has_schema_privilege(oid, 'USAGE')
    UNION ALL
    SELECT r || ' on ' || c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,
        unnest(CASE c.relname
            WHEN 'audit' THEN '{SELECT,INSERT}'
            WHEN 'version' THEN '{SELECT}'
            ELSE '{SELECT,INSERT,UPDATE,DELETE}' END::text[]) AS r
    WHERE n.nspname = 'toolwrit' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND has_schema_privilege(n.oid, 'USAGE') AND NOT has_table_privilege(c.oid, r)";
/// Whether the role owns the schema, so that a server migrates it.
const IS_OURS: &str =
    "SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'toolwrit.version'::regclass";
/// Whether something else has a schema of this name.
const IS_FOREIGN: &str =
    "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace('toolwrit'))";

/// What was found.
#[derive(Debug)]
pub struct Report {
    /// The version of `PostgreSQL`.
    pub server: String,
    /// The version of the schema; `None` if there is none, or it cannot be read.
    pub schema: Option<u32>,
    /// The version that this program needs.
    pub newest: u32,
    /// How far the database's clock is ahead of this machine's.
    pub clock_offset: SignedDuration,
    /// What is to be mended.
    pub problems: Vec<Problem>,
}

/// What is to be mended. `Display` says what is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It lacks what the schema uses.
    #[error("PostgreSQL {0} is too old")]
    OldServer(String),
    /// It may be a copy, which nobody may write to.
    #[error("the database is read-only, as that of a standby is")]
    ReadOnly,
    /// It may forget calls that it has acknowledged.
    #[error("a crash of the server loses calls that it has acknowledged")]
    NotDurable,
    /// The clocks differ.
    #[error("the database's clock is {:.1} s {} this machine's", .0.abs().as_secs_f64(), if .0.is_negative() { "behind" } else { "ahead of" })]
    Clock(SignedDuration),
    /// The schema does not fit.
    #[error("{0}")]
    Schema(Unusable),
    /// It is that of an earlier version, which this role may not migrate.
    #[error(
        "this program has schema {newest}, and until its owner migrates it, each replica counts for itself what {current} has no place for"
    )]
    Behind {
        /// Its version.
        current: u32,
        /// The version that this program needs.
        newest: u32,
    },
    /// The role lacks rights.
    #[error("the role of the address lacks {}", .0.join(", "))]
    Rights(Vec<String>),
    /// Notices do not arrive.
    #[error(
        "notices of other replicas do not arrive, so that no result is taken from the cache: {error}"
    )]
    Deaf {
        /// The reason.
        error: Failed,
        /// Whether the settings name the database itself.
        has_direct: bool,
    },
}

impl Problem {
    /// Whether a server cannot do its work. With the others it does less, or less well.
    pub fn is_fatal(&self) -> bool {
        !matches!(
            self,
            Problem::NotDurable | Problem::Clock(_) | Problem::Behind { .. } | Problem::Deaf { .. }
        )
    }

    /// What mends it.
    pub fn fix(&self) -> &'static str {
        match self {
            Problem::Schema(why) => why.fix(),
            Problem::Behind { .. } | Problem::Rights(_) => OWNER_MIGRATES,
            Problem::OldServer(_) => "Update it to version 13 or later.",
            Problem::ReadOnly => {
                "Name the primary in --state; with several hosts, add target_session_attrs=read-write to the address."
            }
            Problem::NotDurable => {
                "Set fsync and synchronous_commit to on in postgresql.conf, or for the role."
            }
            Problem::Clock(_) => {
                "Let this machine and the database take their time from the same servers."
            }
            Problem::Deaf { has_direct: false, .. } => {
                "If --state names a pooler, set `direct` in [state] to the address of the database itself."
            }
            Problem::Deaf { has_direct: true, .. } => {
                "Correct `direct` in [state]: it names the database itself, the same as --state does through a pooler."
            }
        }
    }
}

/// Examines the database, and changes nothing.
///
/// # Errors
/// If it cannot be reached.
pub async fn examine(settings: &Settings) -> Result<Report, Failed> {
    let database = Database::new(&settings.address, 1, LONGEST)?;
    let asked = Timestamp::now();
    let row = database.row(SERVER, &[]).await?.ok_or(Failed::Contended)?;
    let answered = Timestamp::now();
    let server: String = row.try_get(1)?;
    let now: Timestamp = row.try_get(6)?;
    // The connection was opened meanwhile, which may take longer than the answer.
    let (after, before) = (now.duration_since(asked), now.duration_since(answered));
    let clock_offset = if after < SignedDuration::ZERO {
        after
    } else if before > SignedDuration::ZERO {
        before
    } else {
        SignedDuration::ZERO
    };
    let (encoding, is_durable): (String, bool) = (row.try_get(2)?, row.try_get(4)?);
    let found = [
        (row.try_get::<_, i32>(0)? < OLDEST).then(|| Problem::OldServer(server.clone())),
        row.try_get::<_, bool>(3)?.then_some(Problem::ReadOnly),
        (encoding != "UTF8").then_some(Problem::Schema(Unusable::Encoding(encoding))),
        (!is_durable).then_some(Problem::NotDurable),
        (clock_offset.abs() > MOST_OFFSET).then_some(Problem::Clock(clock_offset)),
    ];
    let mut problems: Vec<Problem> = found.into_iter().flatten().collect();
    let schema = schema(&database, settings, row.try_get(5)?, &mut problems).await?;
    problems.extend(deaf(&database, settings).await);
    let newest = *settings.schemas.end();
    Ok(Report { server, schema, newest, clock_offset, problems })
}

/// Returns the version of the schema, and adds what is wrong with it.
async fn schema(
    database: &Database,
    settings: &Settings,
    may_create: bool,
    problems: &mut Vec<Problem>,
) -> Result<Option<u32>, Failed> {
    let lacking = database.rows(LACKING, &[]).await?;
    let lacking: Vec<String> =
        lacking.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    if !lacking.is_empty() {
        problems.push(Problem::Rights(lacking));
    }
    let newest = *settings.schemas.end();
    match migrate::find(database).await {
        Ok(Some(version)) => {
            let current = version.current;
            problems.extend(version.serves(&settings.schemas).err().map(Problem::Schema));
            if current < newest && !is(database, IS_OURS).await? {
                problems.push(Problem::Behind { current, newest });
            }
            Ok(Some(current))
        }
        Ok(None) => {
            if is(database, IS_FOREIGN).await? {
                problems.push(Problem::Schema(Unusable::Foreign));
            } else if !may_create {
                let reason = "it may not create a schema".to_owned();
                problems.push(Problem::Schema(Unusable::Forbidden { current: 0, newest, reason }));
            }
            Ok(None)
        }
        // Said above.
        Err(failed) if failed.state() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => Ok(None),
        Err(failed) => Err(failed),
    }
}

/// Asks whether something is so.
async fn is(database: &Database, question: &str) -> Result<bool, Failed> {
    let row = database.row(question, &[]).await?.ok_or(Failed::Contended)?;
    Ok(row.try_get(0)?)
}

/// Tells itself something, as replicas do.
async fn deaf(database: &Database, settings: &Settings) -> Option<Problem> {
    let tested = async { Listener::open(&settings.listening()).await?.test(database).await };
    let has_direct = settings.direct.is_some();
    tested.await.err().map(|error| Problem::Deaf { error, has_direct })
}
