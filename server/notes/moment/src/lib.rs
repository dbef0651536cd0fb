//! Dates as moment.js formats, parses and shifts them, in English. Obsidian's templates and settings are
//! written for that library.
//!
//! The formats are those of moment.js, see "Format" in its documentation. A date that cannot be parsed, or
//! that leaves the range of years, is invalid, and is formatted as `Invalid date`.

mod calendar;
mod duration;
mod format;
mod names;
mod parse;
mod parts;
mod tokens;
mod unit;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

pub use duration::Duration;
pub use names::{MONTHS, WEEKDAYS};
pub use parts::Parts;
pub use unit::Unit;

/// A point in time with a time zone, or an invalid date.
#[derive(Debug, Clone)]
pub struct Moment(Option<Zoned>);

impl Moment {
    /// The current time in the system's time zone.
    pub fn now() -> Self {
        Self(Some(Zoned::now()))
    }

    /// The date, unless it is invalid.
    pub fn zoned(&self) -> Option<&Zoned> {
        self.0.as_ref()
    }

    /// The start of the day `YYYY-MM-DD`, in the time zone of `now`; `None` if the text is no such date.
    pub fn parse_day(text: &str, now: &Self) -> Option<Self> {
        let day: jiff::civil::Date = text.parse().ok()?;
        let zone = now.zoned().map_or(TimeZone::UTC, |now| now.time_zone().clone());
        Some(Self(Some(day.to_zoned(zone).ok()?)))
    }

    /// A point in time, in the time zone of `now`.
    pub fn from_milliseconds(milliseconds: f64, now: &Self) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
        let at = Timestamp::from_millisecond(milliseconds as i64);
        let zone = now.zoned().map(|now| now.time_zone().clone());
        Self(at.ok().zip(zone).map(|(at, zone)| at.to_zoned(zone)))
    }

    /// The same time, a number of days later.
    #[must_use]
    pub fn days_later(&self, days: i32) -> Self {
        self.plus(Duration::new(f64::from(days), Unit::Day))
    }

    /// The time in UTC, as `toISOString()` writes it.
    pub fn to_iso(&self) -> String {
        let utc = self.0.as_ref().map(|at| at.with_time_zone(TimeZone::UTC));
        Self(utc).format("YYYY-MM-DDTHH:mm:ss.SSS[Z]")
    }

    /// Whether this is a date.
    pub fn is_valid(&self) -> bool {
        self.0.is_some()
    }

    /// Milliseconds since 1970, not a number if the date is invalid.
    #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
    pub fn milliseconds(&self) -> f64 {
        self.0.as_ref().map_or(f64::NAN, |at| at.timestamp().as_millisecond() as f64)
    }
}

impl From<Zoned> for Moment {
    fn from(at: Zoned) -> Self {
        Self(Some(at))
    }
}
