//! The rows of a view: which files it has, and their order.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use toolwrit_vault::{VaultError, VaultPath};

use crate::bases::answer::{BaseError, Failed, Row};
use crate::bases::definition::{DefinitionError, Filter, SortKey, ViewDefinition};
use crate::bases::evaluation::{
    FileRow, ViewContext, evaluate, evaluate_property, is_empty, shown,
};
use crate::bases::property::Property;
use crate::evaluation::{Evaluated, Failure, Stop};
use crate::value::{UnresolvedPaths, Value, sort_order};

/// A file that the filters let through, with the values that it is grouped and sorted by.
pub(super) struct Found {
    pub(super) row: FileRow,
    pub(super) group: Option<Value>,
    keys: Vec<Value>,
}

/// A view that is evaluated, and what has failed so far.
pub(super) struct ViewRun<'a> {
    pub(super) context: &'a ViewContext<'a>,
    pub(super) failed: Vec<Failed>,
    /// For which files each place has failed.
    failed_files: HashMap<String, HashSet<VaultPath>>,
}

impl<'a> ViewRun<'a> {
    pub(super) fn new(context: &'a ViewContext<'a>) -> Self {
        Self { context, failed: Vec::new(), failed_files: HashMap::new() }
    }

    /// Reports what is left out of the base.
    pub(super) fn report(&mut self, problems: &[DefinitionError]) {
        self.failed.extend(problems.iter().map(|problem| Failed {
            place: problem.place.clone(),
            files: 0,
            reason: problem.reason.clone(),
        }));
    }

    /// The files that all filters let through.
    pub(super) fn filter_files(
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
            let value = self.or_null("filters", row.file.path(), passed.map(Value::from))?;
            if value.is_truthy() {
                found.push(row);
            }
        }
        Ok(found)
    }

    /// The nesting of filters is limited. A part that fails does not matter if another one decides.
    fn passes_filter(&self, filter: &Filter, row: &FileRow) -> Result<bool, Failure> {
        let any = |filters: &[Filter], wanted: bool| {
            let mut failed = None;
            for filter in filters {
                match self.passes_filter(filter, row) {
                    Ok(passed) if passed == wanted => return Ok(true),
                    Ok(_) => {}
                    Err(stop @ Failure::Stopped(_)) => return Err(stop),
                    Err(failure) => failed = failed.or(Some(failure)),
                }
            }
            failed.map_or(Ok(false), Err)
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
    pub(super) fn sort_files(
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
        fill_checkboxes(&mut found, view.sort.len());
        found.sort_by(|a, b| {
            let groups = view.group.iter().zip(a.group.iter().zip(&b.group));
            let keys = view.sort.iter().zip(a.keys.iter().zip(&b.keys));
            let orders = groups.chain(keys).map(|(key, (a, b))| compare_by_key(key, a, b));
            orders.fold(Ordering::Equal, Ordering::then)
        });
        Ok(found)
    }

    /// The values of a file.
    pub(super) fn build_row(
        &mut self,
        found: &Found,
        columns: &[Property],
    ) -> Result<Row, BaseError> {
        let values = columns.iter().map(|column| self.evaluate_property(column, &found.row));
        let values = values.map(|value| value.map(|value| shown(&value)));
        let values = values.collect::<Result<_, _>>()?;
        let group = found.group.as_ref().map(shown);
        Ok(Row { path: found.row.file.path().clone(), group, values })
    }

    /// The value of a property; null if it cannot be evaluated.
    pub(super) fn evaluate_property(
        &mut self,
        property: &Property,
        row: &FileRow,
    ) -> Result<Value, BaseError> {
        let value = evaluate_property(property, row, self.context);
        self.or_null(&property.to_string(), row.file.path(), value)
    }

    /// A value; null if it could not be evaluated, which is counted once for each file.
    pub(super) fn or_null(
        &mut self,
        place: &str,
        path: &VaultPath,
        value: Evaluated,
    ) -> Result<Value, BaseError> {
        let reason = match value {
            Ok(value) => return Ok(value.to_summary()),
            Err(Failure::Row(reason)) => reason,
            Err(failure @ Failure::Stopped(_)) => return Err(stop_error(&failure)),
        };
        let files = self.failed_files.entry(place.to_owned()).or_default();
        files.insert(path.clone());
        let files = files.len();
        match self.failed.iter_mut().find(|failed| failed.place == place) {
            Some(failed) => failed.files = files,
            None => self.failed.push(Failed { place: place.to_owned(), files, reason }),
        }
        Ok(Value::Null)
    }
}

/// Makes the missing values of keys `false` where other files have `true` or `false`: a checkbox that was never set.
fn fill_checkboxes(found: &mut [Found], keys: usize) {
    for key in 0..keys {
        if found.iter().any(|found| matches!(found.keys[key], Value::Boolean(_))) {
            for found in found.iter_mut().filter(|found| found.keys[key].is_null()) {
                found.keys[key] = false.into();
            }
        }
    }
}

/// The order of two values by a key. Empty values are last.
fn compare_by_key(key: &SortKey, a: &Value, b: &Value) -> Ordering {
    let order = sort_order(a, b, &UnresolvedPaths);
    let order = if key.is_descending { order.reverse() } else { order };
    is_empty(a).cmp(&is_empty(b)).then(order)
}

/// Why evaluating stopped.
pub(super) fn stop_error(failure: &Failure) -> BaseError {
    match failure {
        Failure::Stopped(Stop::Time(time)) => BaseError::Time(*time),
        // A row that fails does not stop a view.
        Failure::Stopped(Stop::Cancelled) | Failure::Row(_) => VaultError::Cancelled.into(),
    }
}
