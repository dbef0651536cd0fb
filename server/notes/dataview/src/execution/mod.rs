//! Running queries.

mod answer;
mod check;
mod markdown;
mod operations;
mod rows;
mod source;

pub use answer::{Answer, CalendarRow, ListRow, Rows, TaskRow};
pub use operations::Skipped;

use std::time::Duration;

use jiff::Zoned;
use toolwrit_vault::{CancelCheck, Vault, VaultError, VaultPath};

use super::evaluation::{Budget, Context, Failure, Scope, Stop, evaluate};
use super::notes::Store;
use super::syntax::{Expression, Kind, NamedExpression, Query, SyntaxError, parse};
use super::value::{Rendering, Value};
use operations::{Meaning, Outcome, apply};
use rows::QueryRow;

/// How a query runs.
#[derive(Debug, Clone)]
pub struct QueryOptions {
    /// The note that the query is in: `this`, and where relative links start.
    pub origin: Option<VaultPath>,
    /// The current date. Its zone is the zone of dates without one.
    pub now: Zoned,
    /// How values are written as text.
    pub rendering: Rendering,
    /// How long it may take.
    pub time: Duration,
    /// How many rows it may have at once.
    pub rows: usize,
}

impl Default for QueryOptions {
    /// In no note, now, with the plugin's defaults, for 5 seconds and 100,000 rows.
    fn default() -> Self {
        Self {
            origin: None,
            now: Zoned::now(),
            rendering: Rendering::default(),
            time: Duration::from_secs(5),
            rows: 100_000,
        }
    }
}

/// Why a query has no result.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The text is not a query.
    #[error("the query is invalid at {0}")]
    Syntax(#[from] SyntaxError),
    /// The query names something that does not exist, or every row failed.
    #[error("{0}")]
    Failed(String),
    /// It took longer than it may.
    #[error("the query took longer than {} ms; narrow it with FROM or WHERE", .0.as_millis())]
    Time(Duration),
    /// It had more rows than it may.
    #[error("the query had more than {0} rows; narrow it with FROM, WHERE or LIMIT")]
    Rows(usize),
    /// The vault could not be read, or the caller cancelled.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl From<Failure> for QueryError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Row(reason) => Self::Failed(reason),
            Failure::Stopped(Stop::Cancelled) => Self::Vault(VaultError::Cancelled),
            Failure::Stopped(Stop::Time(time)) => Self::Time(time),
        }
    }
}

/// Runs a query on the notes of a vault.
pub(super) fn run_query(
    text: &str,
    vault: &Vault,
    store: &Store,
    options: &QueryOptions,
    cancel: CancelCheck<'_>,
) -> Result<Answer, QueryError> {
    let query = parse(text, &options.now)?;
    check::check(text, &query)?;
    let snapshot = vault.snapshot(cancel)?;
    let notes = store.notes(&snapshot, &options.now, cancel).ok_or(VaultError::Cancelled)?;
    let budget = Budget::new(options.time, cancel);
    let QueryOptions { origin, now, rendering, rows, .. } = options;
    let context = Context::new(&snapshot, &notes, origin.as_ref(), now, rendering, budget);
    let found = match &query.kind {
        Kind::Task => source::find_tasks(query.source.as_ref(), &context),
        _ => source::find_rows(query.source.as_ref(), vault, &context),
    }?;
    let outcome = apply(&query.operations, found, *rows, &context)?;
    build_answer(&query, outcome, &context)
}

/// The result of the rows that are left.
fn build_answer(
    query: &Query,
    outcome: Outcome,
    context: &Context<'_>,
) -> Result<Answer, QueryError> {
    let Outcome { rows, meaning, mut skipped } = outcome;
    let mut extract = Extraction { context, skipped: &mut skipped };
    let rows = match &query.kind {
        Kind::List { value: Some(value), with_id } => {
            let of = |row: &QueryRow, mut values: Vec<Value>| ListRow {
                id: with_id.then(|| row.id.clone()),
                value: values.pop(),
            };
            Rows::List(extract.evaluate_each(&rows, &[value], of)?)
        }
        Kind::List { value: None, .. } => {
            let of = |row: QueryRow| ListRow { id: Some(row.id), value: None };
            Rows::List(rows.into_iter().map(of).collect())
        }
        Kind::Table { columns, with_id } => {
            let id = with_id.then(|| match &meaning {
                Meaning::Note => "File".into(),
                Meaning::Group { name, .. } => name.clone(),
            });
            let of = |row: &QueryRow, values: Vec<Value>| {
                with_id.then(|| row.id.clone()).into_iter().chain(values).collect()
            };
            let values: Vec<&Expression> =
                columns.iter().map(|NamedExpression { value, .. }| value).collect();
            let table = extract.evaluate_each(&rows, &values, of)?;
            let columns = id.into_iter().chain(columns.iter().map(|column| column.name.clone()));
            Rows::Table { columns: columns.collect(), rows: table }
        }
        Kind::Task => Rows::Task(answer::collect_tasks(&rows, &meaning)),
        Kind::Calendar(date) => {
            let of = |row: &QueryRow, mut values: Vec<Value>| {
                let link = match row.data.get("file") {
                    Some(Value::Object(file)) => file.get("link").unwrap_or_default(),
                    _ => Value::Null,
                };
                CalendarRow { date: values.pop().unwrap_or_default(), link }
            };
            Rows::Calendar(extract.evaluate_each(&rows, &[date], of)?)
        }
    };
    Ok(Answer { rows, skipped })
}

/// Evaluates what a query shows of each row.
struct Extraction<'a> {
    context: &'a Context<'a>,
    skipped: &'a mut Vec<Skipped>,
}

impl Extraction<'_> {
    fn evaluate_each<T>(
        &mut self,
        rows: &[QueryRow],
        values: &[&Expression],
        of: impl Fn(&QueryRow, Vec<Value>) -> T,
    ) -> Result<Vec<T>, QueryError> {
        let mut results = Vec::with_capacity(rows.len());
        let mut failures = operations::Failures::new("the result", rows.len());
        for row in rows {
            let scope = Scope::from_row(&row.data);
            let values = values.iter().map(|value| evaluate(value, &scope, self.context));
            match values.collect::<Result<Vec<_>, _>>() {
                Ok(values) => results.push(of(row, values)),
                Err(failure) => failures.add(failure)?,
            }
        }
        self.skipped.extend(failures.finish()?);
        Ok(results)
    }
}
