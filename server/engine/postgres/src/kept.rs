//! Texts that any replica may find.

use std::borrow::Cow;
use std::time::Duration;

use tokio_postgres::types::Type;
use toolwrit_core::shared::Kept;

use crate::audit::write::storable;
use crate::database::{Database, Failed, Value};
use crate::sealed::Sealing;

const KEEP: &str = "INSERT INTO toolwrit.kept (kind, id, number, text, until)
    VALUES ($1, $2, 0, $3, clock_timestamp() + $4 * interval '1 second')
    ON CONFLICT (kind, id, number) DO UPDATE SET text = excluded.text, until = excluded.until";
const ADD: &str = "INSERT INTO toolwrit.kept (kind, id, number, text, until)
    VALUES ($1, $2, nextval('toolwrit.kept_number'), $3, clock_timestamp() + $4 * interval '1 second')";
const READ: &str = "SELECT text FROM toolwrit.kept
    WHERE kind = $1 AND id = $2 AND number = 0 AND until > clock_timestamp()";
const COLLECT: &str = "WITH gone AS (DELETE FROM toolwrit.kept WHERE kind = $1 AND id = $2 RETURNING number, text, until)
    SELECT text FROM gone WHERE until > clock_timestamp() ORDER BY number";
/// The longest time for which something is kept: a hundred years.
const LONGEST: Duration = Duration::from_hours(100 * 365 * 24);

/// A name in the table.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    kind: i16,
    id: String,
    /// Set if the texts are secrets.
    sealing: Option<Sealing>,
}

impl Name {
    pub(crate) fn new(kind: Kept, id: &str) -> Self {
        let (id, sealing) = if kind.is_secret() {
            (Sealing::name(id), Some(Sealing::of(id)))
        } else {
            (storable(id).into_owned(), None)
        };
        // The numbers must stay the same, and 8 and 9 were those of another form.
        let kind = match kind {
            Kept::Session => 1,
            Kept::SessionOwner => 2,
            Kept::SessionWishes => 3,
            Kept::Task => 4,
            Kept::TaskRuns => 5,
            Kept::TaskInput => 6,
            Kept::Upstream => 7,
            Kept::Page => 10,
            Kept::PagesOfToken => 11,
        };
        Self { kind, id, sealing }
    }

    /// Makes a text as it is stored.
    fn stored<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, Failed> {
        match &self.sealing {
            Some(sealing) => sealing.seal(text).map(Cow::Owned),
            None => Ok(storable(text)),
        }
    }

    /// Reads a text as it is stored; `None` if someone has changed one that was sealed.
    fn read(&self, stored: String) -> Option<String> {
        match &self.sealing {
            Some(sealing) => sealing.open(&stored),
            None => Some(stored),
        }
    }

    fn values(&self) -> [Value<'_>; 2] {
        [(&self.kind, Type::INT2), (&self.id, Type::TEXT)]
    }
}

/// How a text joins those of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joining {
    /// In place of an earlier one.
    Replacing,
    /// After the earlier ones.
    Following,
}

/// Keeps a text.
///
/// # Errors
/// If the database fails.
pub(crate) async fn keep(
    database: &Database,
    name: &Name,
    joining: Joining,
    (text, lifetime): (&str, Duration),
) -> Result<(), Failed> {
    let (text, seconds) = (name.stored(text)?, lifetime.min(LONGEST).as_secs_f64());
    let [kind, id] = name.values();
    let statement = match joining {
        Joining::Replacing => KEEP,
        Joining::Following => ADD,
    };
    let values = [kind, id, (&text as _, Type::TEXT), (&seconds as _, Type::FLOAT8)];
    database.execute(statement, &values).await.map(drop)
}

/// Returns the text that has replaced all earlier ones.
///
/// # Errors
/// If the database fails.
pub(crate) async fn read(database: &Database, name: &Name) -> Result<Option<String>, Failed> {
    let row = database.row(READ, &name.values()).await?;
    let stored: Option<String> = row.map(|row| row.try_get(0)).transpose()?;
    Ok(stored.and_then(|stored| name.read(stored)))
}

/// Removes all texts of a name, and returns them in their order.
///
/// # Errors
/// If the database fails.
pub(crate) async fn collect(database: &Database, name: &Name) -> Result<Vec<String>, Failed> {
    let rows = database.rows(COLLECT, &name.values()).await?;
    let stored: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    Ok(stored.into_iter().filter_map(|stored| name.read(stored)).collect())
}
