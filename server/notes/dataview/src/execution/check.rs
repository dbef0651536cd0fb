//! Checks of a query before it runs.

use super::super::evaluation::nearest_function;
use super::super::syntax::{Expression, Kind, Operation, Query, Step, SyntaxError};

/// Most operations in a query.
const OPERATIONS_LIMIT: usize = 64;

/// Checks that all functions exist, and that the query is not too long.
pub(super) fn check(text: &str, query: &Query) -> Result<(), SyntaxError> {
    if query.operations.len() > OPERATIONS_LIMIT {
        let reason = format!("the query has more than {OPERATIONS_LIMIT} operations");
        return Err(SyntaxError::from_offset(text, text.len(), reason));
    }
    let mut expressions: Vec<&Expression> = match &query.kind {
        Kind::List { value, .. } => value.iter().collect(),
        Kind::Table { columns, .. } => columns.iter().map(|column| &column.value).collect(),
        Kind::Task => Vec::new(),
        Kind::Calendar(date) => vec![date],
    };
    for operation in &query.operations {
        match operation {
            Operation::Where(value) | Operation::Limit(value) => expressions.push(value),
            Operation::Sort(keys) => expressions.extend(keys.iter().map(|(key, _)| key)),
            Operation::Group(column) | Operation::Flatten(column) => {
                expressions.push(&column.value);
            }
        }
    }
    expressions.into_iter().try_for_each(|expression| check_functions(text, expression))
}

/// The depth of an expression is limited by the parser.
fn check_functions(text: &str, expression: &Expression) -> Result<(), SyntaxError> {
    let check = |expression| check_functions(text, expression);
    match expression {
        Expression::Literal(_) | Expression::Variable(_) => Ok(()),
        Expression::Not(operand) => check(operand),
        Expression::Chain(chain) => {
            check(&chain.first)?;
            chain.rest.iter().try_for_each(|(_, operand)| check(operand))
        }
        Expression::List(values) => values.iter().try_for_each(check),
        Expression::Object(fields) => fields.iter().try_for_each(|(_, value)| check(value)),
        Expression::Lambda(lambda) => check(&lambda.body),
        Expression::Path(base, steps) => {
            if let (Expression::Variable(name), Some(Step::Call { at, .. })) =
                (&**base, steps.first())
                && let Err(nearest) = nearest_function(name)
            {
                let hint =
                    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                let reason = format!("there is no function `{name}`{hint}");
                return Err(SyntaxError::from_offset(text, at - name.len(), reason));
            }
            check(base)?;
            steps.iter().try_for_each(|step| match step {
                Step::Index(index) => check(index),
                Step::Call { arguments, .. } => arguments.iter().try_for_each(check),
            })
        }
    }
}
