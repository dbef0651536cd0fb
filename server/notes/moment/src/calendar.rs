//! Arithmetic on the calendar: weeks, parts of a date, shifts and differences.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan as _, Zoned};

use super::{Duration, Moment, Unit};

/// The week of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Week {
    /// The year that the week counts to.
    pub(crate) year: i16,
    /// The number of the week in that year, from 1.
    pub(crate) number: i16,
}

impl Week {
    /// The week that begins on a weekday, as moment.js counts in English: the first week of a year is that of 1 January if
    /// weeks begin on Sunday, of 2 January if they begin on Monday, and so on.
    pub(crate) fn from_date(date: Date, first: Weekday) -> Self {
        let year = date.year();
        let days = date.day_of_year() - first_week_offset(year, first) - 1;
        let number = days.div_euclid(7) + 1;
        if number < 1 {
            return Self { year: year - 1, number: number + weeks_in_year(year - 1, first) };
        }
        let last = weeks_in_year(year, first);
        if number > last {
            return Self { year: year + 1, number: number - last };
        }
        Self { year, number }
    }

    /// The week of ISO 8601.
    pub(crate) fn from_iso_date(date: Date) -> Self {
        let week = date.iso_week_date();
        Self { year: week.year(), number: i16::from(week.week()) }
    }
}

/// How many days of a year come before its first week; negative if the week begins in the year before.
fn first_week_offset(year: i16, first: Weekday) -> i16 {
    let earliest = first.to_sunday_zero_offset() + 1;
    let weekday = Date::new(year, 1, earliest).map_or(Weekday::Sunday, Date::weekday);
    i16::from(earliest - 1 - weekday.since(first))
}

fn weeks_in_year(year: i16, first: Weekday) -> i16 {
    let days = Date::new(year, 1, 1).map_or(365, Date::days_in_year);
    (days - first_week_offset(year, first) + first_week_offset(year + 1, first)) / 7
}

impl Moment {
    /// The date and time, unless invalid, after a change; invalid if the change leaves the range of years.
    pub(crate) fn map(&self, change: impl FnOnce(&Zoned) -> Option<Zoned>) -> Self {
        Self(self.0.as_ref().and_then(change))
    }

    /// Later by a duration. The day of the month is cut to the length of the month.
    #[must_use]
    pub fn plus(&self, duration: Duration) -> Self {
        self.map(|at| {
            let months = Span::new().try_months(round_saturating(duration.months)).ok()?;
            let days = Span::new().try_days(round_saturating(duration.days)).ok()?;
            let milliseconds =
                Span::new().try_milliseconds(round_saturating(duration.milliseconds)).ok()?;
            let later = at.checked_add(months).ok()?.checked_add(days).ok()?;
            later.checked_add(milliseconds).ok()
        })
    }

    /// The start of the unit that contains the date.
    #[must_use]
    pub fn start_of(&self, unit: Unit) -> Self {
        self.map(|at| {
            let day = match unit {
                Unit::Year => at.first_of_year().ok()?,
                Unit::Quarter => {
                    let first = (at.month() - 1) / 3 * 3 + 1;
                    at.with().day(1).month(first).build().ok()?
                }
                Unit::Month => at.first_of_month().ok()?,
                Unit::Week => days_before(at, at.weekday().since(Weekday::Sunday))?,
                Unit::IsoWeek => days_before(at, at.weekday().to_monday_zero_offset())?,
                Unit::Day => at.clone(),
                Unit::Hour => {
                    return at.with().minute(0).second(0).subsec_nanosecond(0).build().ok();
                }
                Unit::Minute => return at.with().second(0).subsec_nanosecond(0).build().ok(),
                Unit::Second => return at.with().subsec_nanosecond(0).build().ok(),
                Unit::Millisecond => return Some(at.clone()),
            };
            day.start_of_day().ok()
        })
    }

    /// The start of the week that contains the date, if weeks begin on this weekday.
    #[must_use]
    pub fn start_of_week(&self, first: Weekday) -> Self {
        self.map(|at| days_before(at, at.weekday().since(first))?.start_of_day().ok())
    }

    /// The last millisecond of the unit that contains the date.
    #[must_use]
    pub fn end_of(&self, unit: Unit) -> Self {
        let next = self.start_of(unit).plus(Duration::new(1.0, unit));
        next.plus(Duration::new(-1.0, Unit::Millisecond))
    }

    /// The same time on another weekday of its week, counted from its first day. May leave the week.
    #[must_use]
    pub fn on_weekday(&self, first: Weekday, number: f64) -> Self {
        let current = self.0.as_ref().map_or(0, |at| at.weekday().since(first));
        self.plus(Duration::new(number - f64::from(current), Unit::Day))
    }

    /// How many units another date lies before this one, with a fraction.
    pub fn since(&self, other: &Self, unit: Unit) -> f64 {
        let (Some(this), Some(that)) = (&self.0, &other.0) else { return f64::NAN };
        let milliseconds = self.milliseconds() - other.milliseconds();
        let offset = f64::from(this.offset().seconds() - that.offset().seconds()) * 1_000.0;
        match unit {
            Unit::Year => months_between(self, other) / 12.0,
            Unit::Quarter => months_between(self, other) / 3.0,
            Unit::Month => months_between(self, other),
            Unit::Week | Unit::IsoWeek => (milliseconds + offset) / 604_800_000.0,
            Unit::Day => (milliseconds + offset) / 86_400_000.0,
            Unit::Hour => milliseconds / 3_600_000.0,
            Unit::Minute => milliseconds / 60_000.0,
            Unit::Second => milliseconds / 1_000.0,
            Unit::Millisecond => milliseconds,
        }
    }
}

/// The number of months from `b` to `a`. A part of a month is a fraction of that month.
fn months_between(a: &Moment, b: &Moment) -> f64 {
    let (Some(at), Some(bt)) = (&a.0, &b.0) else { return f64::NAN };
    if at.day() < bt.day() {
        return -months_between(b, a);
    }
    let whole = f64::from(bt.year() - at.year()) * 12.0 + f64::from(bt.month() - at.month());
    let anchor = a.plus(Duration::new(whole, Unit::Month));
    let rest = b.milliseconds() - anchor.milliseconds();
    let next = if rest < 0.0 { whole - 1.0 } else { whole + 1.0 };
    let next = a.plus(Duration::new(next, Unit::Month));
    let month = (next.milliseconds() - anchor.milliseconds()).abs();
    // `0.0 -` instead of a minus sign: the result is never a negative zero.
    0.0 - (whole + rest / month)
}

fn days_before(at: &Zoned, days: i8) -> Option<Zoned> {
    at.checked_sub(days.days()).ok()
}

/// The nearest whole number. Numbers beyond the range of dates become the limit of the range, which no date
/// can be shifted by.
#[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
fn round_saturating(number: f64) -> i64 {
    (number.abs().round() * number.signum()) as i64
}
