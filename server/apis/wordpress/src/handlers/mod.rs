//! The handlers, a file for each category that has some.

mod batch;
mod gutenberg;
mod media;

/// Converts a count for a result. The largest integer stands for larger ones, which do not occur.
fn to_integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
