//! How large values may be that expressions make.

use super::context::{Evaluated, Failure};
use crate::value::Value;

/// Longest text that an expression may make, in bytes (1 MiB).
const TEXT_LIMIT: usize = 1024 * 1024;
/// Most values in a list that an expression may make.
const LIST_LIMIT: usize = 100_000;

/// Fails if a text is too long.
pub(crate) fn text_within_limit(text: String) -> Evaluated {
    check_length(text.len())?;
    Ok(Value::Text(text.into()))
}

/// Fails if a text of so many bytes is too long.
pub(crate) fn check_length(length: usize) -> Result<(), Failure> {
    if length > TEXT_LIMIT {
        return Err(Failure::row(format!("the text has more than {TEXT_LIMIT} bytes")));
    }
    Ok(())
}

/// Fails if a list of so many values is too long.
pub(crate) fn check_count(count: usize) -> Result<(), Failure> {
    if count > LIST_LIMIT {
        return Err(Failure::row(format!("the list has more than {LIST_LIMIT} values")));
    }
    Ok(())
}
