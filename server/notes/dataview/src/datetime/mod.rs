//! Dates and durations.

mod calculate;
mod duration;
mod format;
mod read;

pub(crate) use calculate::{
    SHORTHANDS, add_duration, duration_between, parse_shorthand, start_of_day,
};
pub use duration::Duration;
pub(crate) use duration::Unit;
pub(crate) use format::format_date;
pub(crate) use read::{find_day, from_epoch, parse_date_prefix, read_date, read_with_format};
