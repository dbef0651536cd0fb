//! The operations of a query, in the order in which they are written.

use super::super::evaluation::{Context, Failure, Scope, evaluate};
use super::super::syntax::{Expression, NamedExpression, Operation};
use super::super::value::{Map, Name, Object, Value, compare, sort_order};
use super::QueryError;
use super::rows::QueryRow;

use std::sync::Arc;

/// What the id of a row is.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    Note,
    /// The key of a group of rows, by its name.
    Group {
        name: Name,
        of: Box<Meaning>,
    },
}

/// The rows after the operations.
pub(super) struct Outcome {
    pub(super) rows: Vec<QueryRow>,
    pub(super) meaning: Meaning,
    pub(super) skipped: Vec<Skipped>,
}

/// Rows that were left out because an expression failed for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The operation that has the expression, such as `WHERE`.
    pub operation: &'static str,
    /// How many rows.
    pub rows: usize,
    /// Why, for the first of them.
    pub reason: String,
}

/// How many reasons are given if every row fails.
const REASONS: usize = 3;

/// The rows that an operation failed for.
pub(super) struct Failures {
    operation: &'static str,
    incoming: usize,
    count: usize,
    reasons: Vec<String>,
}

impl Failures {
    pub(super) fn new(operation: &'static str, incoming: usize) -> Self {
        Self { operation, incoming, count: 0, reasons: Vec::new() }
    }

    /// Counts a row that failed.
    ///
    /// # Errors
    /// The failure if it stops the query.
    pub(super) fn add(&mut self, failure: Failure) -> Result<(), QueryError> {
        let Failure::Row(reason) = failure else { return Err(failure.into()) };
        self.count += 1;
        if self.reasons.len() < REASONS && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
        Ok(())
    }

    /// What was skipped, if anything.
    ///
    /// # Errors
    /// `Failed` if every row failed.
    pub(super) fn finish(self) -> Result<Option<Skipped>, QueryError> {
        let Self { operation, incoming, count, mut reasons } = self;
        if count > 0 && count == incoming {
            let reasons = reasons.join("; ");
            return Err(QueryError::Failed(format!("{operation} failed for every row: {reasons}")));
        }
        let skipped = Skipped {
            operation,
            rows: count,
            reason: reasons.drain(..).next().unwrap_or_default(),
        };
        Ok((count > 0).then_some(skipped))
    }
}

/// Applies operations to rows.
pub(super) fn apply(
    operations: &[Operation],
    rows: Vec<QueryRow>,
    limit: usize,
    context: &Context<'_>,
) -> Result<Outcome, QueryError> {
    let mut run = QueryRun { context, limit, meaning: Meaning::Note, skipped: Vec::new() };
    let mut rows = rows;
    context.budget.check()?;
    for operation in operations {
        rows = run.apply_operation(operation, rows)?;
        if rows.len() > limit {
            return Err(QueryError::Rows(limit));
        }
        context.budget.check()?;
    }
    Ok(Outcome { rows, meaning: run.meaning, skipped: run.skipped })
}

struct QueryRun<'a> {
    context: &'a Context<'a>,
    limit: usize,
    meaning: Meaning,
    skipped: Vec<Skipped>,
}

impl QueryRun<'_> {
    fn apply_operation(
        &mut self,
        operation: &Operation,
        rows: Vec<QueryRow>,
    ) -> Result<Vec<QueryRow>, QueryError> {
        match operation {
            Operation::Where(condition) => self.filter_rows(rows, condition),
            Operation::Sort(keys) => self.sort_rows(rows, keys),
            Operation::Limit(count) => self.limit_rows(rows, count),
            Operation::Group(column) => self.group_rows(rows, column),
            Operation::Flatten(column) => self.flatten_rows(rows, column),
        }
    }

    fn filter_rows(
        &mut self,
        rows: Vec<QueryRow>,
        condition: &Expression,
    ) -> Result<Vec<QueryRow>, QueryError> {
        let mut failures = Failures::new("WHERE", rows.len());
        let mut kept = Vec::new();
        for row in rows {
            match evaluate(condition, &Scope::from_row(&row.data), self.context) {
                Ok(value) if value.is_truthy() => kept.push(row),
                Ok(_) => {}
                Err(failure) => failures.add(failure)?,
            }
        }
        self.skipped.extend(failures.finish()?);
        Ok(kept)
    }

    /// The rows with the values of some expressions. Leaves out those that they fail for.
    fn evaluate_rows(
        &mut self,
        operation: &'static str,
        rows: Vec<QueryRow>,
        expressions: &[&Expression],
    ) -> Result<Vec<(QueryRow, Vec<Value>)>, QueryError> {
        let mut failures = Failures::new(operation, rows.len());
        let mut evaluated = Vec::with_capacity(rows.len());
        for row in rows {
            let scope = Scope::from_row(&row.data);
            let values =
                expressions.iter().map(|expression| evaluate(expression, &scope, self.context));
            match values.collect::<Result<Vec<_>, _>>() {
                Ok(values) => evaluated.push((row, values)),
                Err(failure) => failures.add(failure)?,
            }
        }
        self.skipped.extend(failures.finish()?);
        Ok(evaluated)
    }

    fn sort_rows(
        &mut self,
        rows: Vec<QueryRow>,
        keys: &[(Expression, bool)],
    ) -> Result<Vec<QueryRow>, QueryError> {
        let expressions: Vec<&Expression> = keys.iter().map(|(key, _)| key).collect();
        let mut evaluated = self.evaluate_rows("SORT", rows, &expressions)?;
        evaluated.sort_by(|(_, a), (_, b)| {
            let compared = keys.iter().zip(a.iter().zip(b)).map(|((_, descending), (a, b))| {
                let order = sort_order(a, b, self.context);
                if *descending { order.reverse() } else { order }
            });
            compared.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        Ok(evaluated.into_iter().map(|(row, _)| row).collect())
    }

    fn limit_rows(
        &self,
        mut rows: Vec<QueryRow>,
        count: &Expression,
    ) -> Result<Vec<QueryRow>, QueryError> {
        let nothing = Object::Map(Arc::new(Map::new()));
        let count = match evaluate(count, &Scope::from_row(&nothing), self.context)? {
            Value::Number(count) => count,
            other => {
                let reason = format!("LIMIT takes a number, not {}", other.type_name());
                return Err(QueryError::Failed(reason));
            }
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let kept =
            if count < 0.0 { rows.len().saturating_sub(-count as usize) } else { count as usize };
        rows.truncate(kept);
        Ok(rows)
    }

    fn group_rows(
        &mut self,
        rows: Vec<QueryRow>,
        column: &NamedExpression,
    ) -> Result<Vec<QueryRow>, QueryError> {
        let mut evaluated = self.evaluate_rows("GROUP BY", rows, &[&column.value])?;
        evaluated.sort_by(|(_, a), (_, b)| sort_order(&a[0], &b[0], self.context));
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        let mut last: Option<Value> = None;
        for (row, mut key) in evaluated {
            let key = key.pop().unwrap_or_default();
            let is_same =
                last.as_ref().is_some_and(|last| compare(&key, last, self.context).is_eq());
            let value = Value::Object(row.data);
            match groups.last_mut() {
                Some((_, rows)) if is_same => rows.push(value),
                _ => groups.push((key.clone(), vec![value])),
            }
            last = Some(key);
        }
        let name = &column.name;
        let of = Box::new(std::mem::replace(&mut self.meaning, Meaning::Note));
        self.meaning = Meaning::Group { name: Arc::clone(name), of };
        let row = |(key, rows): (Value, Vec<Value>)| {
            let mut data = Map::new();
            data.insert("key".into(), key.clone());
            data.insert("rows".into(), Value::list(rows));
            data.insert(Arc::clone(name), key.clone());
            QueryRow { id: key, data: Object::Map(Arc::new(data)) }
        };
        Ok(groups.into_iter().map(row).collect())
    }

    fn flatten_rows(
        &mut self,
        rows: Vec<QueryRow>,
        column: &NamedExpression,
    ) -> Result<Vec<QueryRow>, QueryError> {
        let mut flat = Vec::new();
        for (row, mut value) in self.evaluate_rows("FLATTEN", rows, &[&column.value])? {
            match value.pop().unwrap_or_default() {
                Value::List(values) => {
                    flat.extend(values.iter().map(|value| row.with(&column.name, value.clone())));
                }
                value => flat.push(row.with(&column.name, value)),
            }
            if flat.len() > self.limit {
                return Err(QueryError::Rows(self.limit));
            }
        }
        if let Meaning::Group { name, of } = &self.meaning
            && *name == column.name
        {
            self.meaning = Meaning::clone(of);
        }
        Ok(flat)
    }
}
