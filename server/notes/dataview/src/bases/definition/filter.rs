//! Conditions on files.

use super::DefinitionError;
use super::section::Section;
use crate::bases::syntax::BaseExpression;

/// How deeply filters may be nested.
const DEPTH_LIMIT: usize = 16;

/// A condition on files.
#[derive(Debug)]
pub(in crate::bases) enum Filter {
    /// That an expression is true.
    Statement(BaseExpression),
    /// That all of them hold.
    And(Vec<Filter>),
    /// That one of them holds.
    Or(Vec<Filter>),
    /// That none of them holds.
    Not(Vec<Filter>),
}

/// Reads a filter; `None` if it has no condition. One that is wrong fails for every file.
pub(super) fn read(section: &Section<'_>) -> Option<Filter> {
    read_nested(section, 0)
}

fn read_nested(section: &Section<'_>, depth: usize) -> Option<Filter> {
    try_read(section, depth).unwrap_or_else(|error| {
        Some(Filter::Statement(BaseExpression::Invalid(error.to_string().into())))
    })
}

fn try_read(section: &Section<'_>, depth: usize) -> Result<Option<Filter>, DefinitionError> {
    if depth > DEPTH_LIMIT {
        return Err(section.error(format!("filters are nested more than {DEPTH_LIMIT} deep")));
    }
    if section.value.is_null() {
        return Ok(None);
    }
    if section.value.is_string() {
        return Ok(Some(Filter::Statement(section.expression())));
    }
    let expected = || {
        section.expected_error("an expression in quotes, or exactly one of `and`, `or` and `not`")
    };
    let entries = section.entries().map_err(|_| expected())?;
    let (connective, section) = match &*entries {
        [] => return Ok(None),
        [entry] => entry,
        _ => return Err(expected()),
    };
    let wrap = match *connective {
        "and" => Filter::And,
        "or" => Filter::Or,
        "not" => Filter::Not,
        other => {
            return Err(section.error(format!("expected `and`, `or` or `not`, found `{other}`")));
        }
    };
    if section.value.is_null() {
        return Ok(None);
    }
    let parts = section.items()?;
    let parts: Vec<Filter> = parts.iter().filter_map(|part| read_nested(part, depth + 1)).collect();
    // Obsidian writes a group without conditions when the last one is removed.
    Ok((!parts.is_empty()).then(|| wrap(parts)))
}
