//! Dates and durations.

mod calculate;
mod duration;
mod format;
mod read;

pub(crate) use calculate::{SHORTHANDS, between, day, later, shorthand};
pub use duration::Duration;
pub(crate) use duration::Unit;
pub(crate) use format::format_date;
pub(crate) use read::{date_prefix, find_day, from_epoch, read_date, read_with_format};
