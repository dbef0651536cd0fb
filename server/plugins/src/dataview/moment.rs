//! Dates and durations.

mod calculate;
mod duration;
mod format;
mod read;

pub(super) use calculate::{SHORTHANDS, between, day, later, shorthand};
pub use duration::Duration;
pub(super) use duration::Unit;
pub(super) use format::format_date;
pub(super) use read::{date_prefix, find_day, from_epoch, read_date, read_with_format};
