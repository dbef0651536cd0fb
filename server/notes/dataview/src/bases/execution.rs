//! Evaluating a view.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;
use toolwrit_vault::{CancelCheck, VaultError, VaultPath};

use super::definition::{Base, DefinitionError, Filter, SortKey, ViewDefinition};
use super::evaluation::{FileRow, ViewContext, evaluate, evaluate_property, is_empty};
use super::file::{FileRecord, Files, ThisRecord};
use super::property::Property;
use crate::Dataview;
use crate::evaluation::{Budget, Evaluated, Failure, Stop};
use crate::value::{Object, UnresolvedPaths, Value, sort_order};

/// Largest `.base` file in bytes (1 MiB).
const SIZE_LIMIT: usize = 1024 * 1024;

/// How a view is evaluated.
#[derive(Debug, Clone)]
pub struct ViewOptions {
    /// The current date. Its zone is the zone of dates without one.
    pub now: Zoned,
    /// How long it may take.
    pub time: Duration,
    /// Which rows of the view are returned. A range beyond the end is cut.
    pub rows: Range<usize>,
}

impl Default for ViewOptions {
    /// All rows, now, in 5 seconds.
    fn default() -> Self {
        Self { now: Zoned::now(), time: Duration::from_secs(5), rows: 0..usize::MAX }
    }
}

/// The result of a view.
#[derive(Debug, Clone)]
pub struct View {
    /// Its name.
    pub name: String,
    /// Its columns, in order.
    pub columns: Vec<Column>,
    /// The requested rows, in order.
    pub rows: Vec<Row>,
    /// How many rows it has in all, after its limit.
    pub total: usize,
    /// What could not be evaluated.
    pub failed: Vec<Failed>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The property as in expressions, such as `note.status` or `formula.age`.
    pub property: String,
    /// What it is called.
    pub name: Arc<str>,
}

/// A row: a file.
#[derive(Debug, Clone)]
pub struct Row {
    /// The file.
    pub path: VaultPath,
    /// The value that the rows are grouped by, if they are.
    pub group: Option<Value>,
    /// A value for each column; null where it could not be evaluated.
    pub values: Vec<Value>,
}

/// An expression that could not be evaluated for some files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The property, or `filters`. Files are left out for which the filters fail.
    pub place: String,
    /// For how many files.
    pub files: usize,
    /// Why, for the first of them.
    pub reason: String,
}

/// Why a view has no result.
#[derive(Debug, thiserror::Error)]
pub enum BaseError {
    /// The file is not a base.
    #[error("the base is invalid at {0}")]
    Invalid(#[from] DefinitionError),
    /// The base has no view, or none of this name.
    #[error("the base has no view{}", .name.as_ref().map(|name| format!(" named `{name}`")).unwrap_or_default())]
    NoView {
        /// The name that was asked for.
        name: Option<String>,
        /// The names of its views.
        views: Vec<String>,
    },
    /// The file is too large.
    #[error("the base has more than {0} bytes")]
    Size(usize),
    /// It took longer than it may.
    #[error("the view took longer than {} ms; narrow it with filters", .0.as_millis())]
    Time(Duration),
    /// The vault could not be read, or the caller cancelled.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

/// Evaluates a view of the base at a path; its first view without a name.
///
/// # Errors
/// [`BaseError`].
pub fn view(
    notes: &Dataview,
    path: &VaultPath,
    name: Option<&str>,
    options: &ViewOptions,
    cancel: CancelCheck<'_>,
) -> Result<View, BaseError> {
    let ViewOptions { now, time, rows } = options;
    let vault = notes.vault();
    let source = vault.read(path, Some(SIZE_LIMIT + 1))?;
    if source.truncated || source.content.len() > SIZE_LIMIT {
        return Err(BaseError::Size(SIZE_LIMIT));
    }
    let base = Base::parse(&source.content, now)?;
    let chosen = find_view(&base, name)?;
    let snapshot = vault.snapshot(cancel)?;
    let files = Files {
        vault: vault.clone(),
        notes: notes.notes(&snapshot, now, cancel).ok_or(VaultError::Cancelled)?,
        zone: now.time_zone().clone(),
    };
    let this = ThisRecord(FileRecord::new(&files, &source.path));
    let this = Value::Object(Object::Record(Arc::new(this)));
    let budget = Budget::new(*time, cancel);
    let context = ViewContext::new(&snapshot, &files, &base.formulas, this, now, budget);
    let mut run = ViewRun { context: &context, failed: Vec::new() };
    let mut paths: Vec<&VaultPath> = snapshot.files().collect();
    paths.sort_unstable();
    let found = run.filter_files(&paths, [base.filters.as_ref(), chosen.filters.as_ref()])?;
    let mut found = run.sort_files(found, chosen)?;
    found.truncate(chosen.limit.unwrap_or(usize::MAX));
    let total = found.len();
    let range = rows.start.min(total)..rows.end.clamp(rows.start.min(total), total);
    let default = [Property::File("name".into())];
    let columns = if chosen.columns.is_empty() { &default[..] } else { &chosen.columns };
    let rows =
        found.drain(range).map(|found| run.build_row(found, columns)).collect::<Result<_, _>>()?;
    let column = |property: &Property| Column {
        property: property.to_string(),
        name: base.column_name(property),
    };
    let columns = columns.iter().map(column).collect();
    Ok(View { name: chosen.name.clone(), columns, rows, total, failed: run.failed })
}

fn find_view<'a>(base: &'a Base, name: Option<&str>) -> Result<&'a ViewDefinition, BaseError> {
    let mut views = base.views.iter();
    views.find(|view| name.is_none_or(|name| view.name == name)).ok_or_else(|| BaseError::NoView {
        name: name.map(str::to_owned),
        views: base.views.iter().map(|view| view.name.clone()).collect(),
    })
}

/// A file that the filters let through, with the values that it is grouped and sorted by.
struct Found {
    row: FileRow,
    group: Option<Value>,
    keys: Vec<Value>,
}

struct ViewRun<'a> {
    context: &'a ViewContext<'a>,
    failed: Vec<Failed>,
}

impl ViewRun<'_> {
    /// The files that all filters let through.
    fn filter_files(
        &mut self,
        paths: &[&VaultPath],
        filters: [Option<&Filter>; 2],
    ) -> Result<Vec<FileRow>, BaseError> {
        let mut found = Vec::new();
        for path in paths {
            self.context.budget.step().map_err(|failure| stop_error(&failure))?;
            let row = FileRow::new(path, self.context);
            let mut passed = Ok(true);
            for filter in filters.into_iter().flatten() {
                passed = passed.and_then(|passed| Ok(passed && self.passes_filter(filter, &row)?));
            }
            let value = self.or_null("filters", passed.map(Value::from))?;
            if value.is_truthy() {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// The nesting of filters is limited.
    fn passes_filter(&self, filter: &Filter, row: &FileRow) -> Result<bool, Failure> {
        let any = |filters: &[Filter], wanted: bool| {
            for filter in filters {
                if self.passes_filter(filter, row)? == wanted {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        match filter {
            Filter::Statement(expression) => {
                Ok(evaluate(expression, row, self.context)?.is_truthy())
            }
            Filter::And(filters) => Ok(!any(filters, false)?),
            Filter::Or(filters) => any(filters, true),
            Filter::Not(filters) => Ok(!any(filters, true)?),
        }
    }

    /// The files in the order of their groups, and in each group as the view sorts them.
    fn sort_files(
        &mut self,
        rows: Vec<FileRow>,
        view: &ViewDefinition,
    ) -> Result<Vec<Found>, BaseError> {
        let mut found = Vec::with_capacity(rows.len());
        for row in rows {
            let group = view.group.as_ref().map(|key| self.evaluate_property(&key.property, &row));
            let keys = view.sort.iter().map(|key| self.evaluate_property(&key.property, &row));
            let keys = keys.collect::<Result<_, _>>()?;
            found.push(Found { group: group.transpose()?, keys, row });
        }
        self.context.budget.check().map_err(|failure| stop_error(&failure))?;
        found.sort_by(|a, b| {
            let groups = view.group.iter().zip(a.group.iter().zip(&b.group));
            let keys = view.sort.iter().zip(a.keys.iter().zip(&b.keys));
            let orders = groups.chain(keys).map(|(key, (a, b))| compare_by_key(key, a, b));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        Ok(found)
    }

    /// The values of a file.
    fn build_row(&mut self, found: Found, columns: &[Property]) -> Result<Row, BaseError> {
        let Found { row, group, .. } = found;
        let values = columns.iter().map(|column| self.evaluate_property(column, &row));
        let values = values.collect::<Result<_, _>>()?;
        Ok(Row { path: row.file.path().clone(), group, values })
    }

    /// The value of a property; null if it cannot be evaluated.
    fn evaluate_property(&mut self, shown: &Property, row: &FileRow) -> Result<Value, BaseError> {
        let value = evaluate_property(shown, row, self.context);
        self.or_null(&shown.to_string(), value)
    }

    /// A value; null if it could not be evaluated, which is counted.
    fn or_null(&mut self, place: &str, value: Evaluated) -> Result<Value, BaseError> {
        let reason = match value {
            Ok(value) => return Ok(value.to_summary()),
            Err(Failure::Row(reason)) => reason,
            Err(failure @ Failure::Stopped(_)) => return Err(stop_error(&failure)),
        };
        match self.failed.iter_mut().find(|failed| failed.place == place) {
            Some(failed) => failed.files += 1,
            None => self.failed.push(Failed { place: place.to_owned(), files: 1, reason }),
        }
        Ok(Value::Null)
    }
}

/// The order of two values by a key. Empty values are last.
fn compare_by_key(key: &SortKey, a: &Value, b: &Value) -> Ordering {
    let order = sort_order(a, b, &UnresolvedPaths);
    let order = if key.is_descending { order.reverse() } else { order };
    is_empty(a).cmp(&is_empty(b)).then(order)
}

/// Why evaluating stopped.
fn stop_error(failure: &Failure) -> BaseError {
    match failure {
        Failure::Stopped(Stop::Time(time)) => BaseError::Time(*time),
        // A row that fails does not stop a view.
        Failure::Stopped(Stop::Cancelled) | Failure::Row(_) => VaultError::Cancelled.into(),
    }
}
