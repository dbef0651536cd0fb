//! Lengths of time to add to a date.

use std::sync::LazyLock;

use regex::Regex;

use super::Unit;

/// A length of time. Months and days vary in length, so they are kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Duration {
    pub(super) months: f64,
    pub(super) days: f64,
    pub(super) milliseconds: f64,
}

/// `P1Y2M3W4DT5H6M7S`, with a sign in front of all or of each number.
static ISO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = |unit| format!("(?:([-+]?[0-9,.]*){unit})?");
    let [years, months, weeks, days] = ["Y", "M", "W", "D"].map(number);
    let [hours, minutes, seconds] = ["H", "M", "S"].map(number);
    let pattern = format!("^(-|\\+)?P{years}{months}{weeks}{days}(?:T{hours}{minutes}{seconds})?$");
    Regex::new(&pattern).ok()
});

impl Duration {
    /// A number of units.
    pub fn new(amount: f64, unit: Unit) -> Self {
        let mut duration = Self::default();
        let (part, each) = match unit {
            Unit::Year => (&mut duration.months, 12.0),
            Unit::Quarter => (&mut duration.months, 3.0),
            Unit::Month => (&mut duration.months, 1.0),
            Unit::Week | Unit::IsoWeek => (&mut duration.days, 7.0),
            Unit::Day => (&mut duration.days, 1.0),
            Unit::Hour => (&mut duration.milliseconds, 3_600_000.0),
            Unit::Minute => (&mut duration.milliseconds, 60_000.0),
            Unit::Second => (&mut duration.milliseconds, 1_000.0),
            Unit::Millisecond => (&mut duration.milliseconds, 1.0),
        };
        *part = amount * each;
        duration
    }

    /// Parses a duration of ISO 8601: `P-1M`. Any other text is a duration of zero, as in moment.js.
    pub fn parse_iso(text: &str) -> Self {
        const UNITS: [Unit; 7] = [
            Unit::Year,
            Unit::Month,
            Unit::Week,
            Unit::Day,
            Unit::Hour,
            Unit::Minute,
            Unit::Second,
        ];
        let Some(found) = ISO.as_ref().and_then(|iso| iso.captures(text)) else {
            return Self::default();
        };
        let sign = if found.get(1).is_some_and(|sign| sign.as_str() == "-") { -1.0 } else { 1.0 };
        let parts = UNITS.into_iter().enumerate().filter_map(|(at, unit)| {
            let number = found.get(at + 2)?.as_str().replace(',', ".");
            Some(Self::new(sign * number.parse::<f64>().ok()?, unit))
        });
        parts.fold(Self::default(), Self::plus)
    }

    /// The sum of two durations.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            months: self.months + other.months,
            days: self.days + other.days,
            milliseconds: self.milliseconds + other.milliseconds,
        }
    }

    /// The same length in the other direction.
    #[must_use]
    pub fn negate(self) -> Self {
        Self { months: -self.months, days: -self.days, milliseconds: -self.milliseconds }
    }
}
