//! Durations. A year counts as 365 days, a month as 30, where one unit is turned into another.

use std::fmt;

use crate::number::group_digits;

/// A unit of durations, from the longest to the shortest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
}

/// The number of units.
const COUNT: usize = 8;

/// The length of each unit.
const IN_MILLISECONDS: [f64; COUNT] = [
    365.0 * 86_400_000.0,
    30.0 * 86_400_000.0,
    7.0 * 86_400_000.0,
    86_400_000.0,
    3_600_000.0,
    60_000.0,
    1_000.0,
    1.0,
];

/// A length of time, as amounts of units.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Duration([f64; COUNT]);

impl Unit {
    pub(crate) const ALL: [Self; COUNT] = [
        Self::Year,
        Self::Month,
        Self::Week,
        Self::Day,
        Self::Hour,
        Self::Minute,
        Self::Second,
        Self::Millisecond,
    ];

    /// The unit that a duration is written with, such as `hrs`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "year" | "years" | "yr" | "yrs" => Self::Year,
            "month" | "months" | "mo" | "mos" => Self::Month,
            "week" | "weeks" | "wk" | "wks" | "w" => Self::Week,
            "day" | "days" | "d" => Self::Day,
            "hour" | "hours" | "hr" | "hrs" | "h" => Self::Hour,
            "minute" | "minutes" | "min" | "mins" | "m" => Self::Minute,
            "second" | "seconds" | "sec" | "secs" | "s" => Self::Second,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Week => "week",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
        }
    }

    /// How many of a shorter unit it contains.
    fn count_of(self, shorter: Self) -> f64 {
        match (self, shorter) {
            (Self::Year, Self::Month) => 12.0,
            (Self::Year, Self::Week) => 52.0,
            (Self::Month, Self::Week) => 4.0,
            _ => IN_MILLISECONDS[self as usize] / IN_MILLISECONDS[shorter as usize],
        }
    }
}

impl Duration {
    pub(crate) fn new(amount: f64, unit: Unit) -> Self {
        let mut duration = Self::default();
        duration.0[unit as usize] = amount;
        duration
    }

    /// The amount of one unit, as it is.
    pub(crate) fn get(self, unit: Unit) -> f64 {
        self.0[unit as usize]
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = |index: usize| self.0[index] + other.0[index];
        Self(std::array::from_fn(sum))
    }

    /// Every amount times a factor.
    pub(crate) fn multiply(self, factor: f64) -> Self {
        Self(self.0.map(|amount| amount * factor))
    }

    /// Every amount divided.
    pub(crate) fn divide(self, divisor: f64) -> Self {
        Self(self.0.map(|amount| amount / divisor))
    }

    /// The whole length in milliseconds.
    pub fn milliseconds(self) -> f64 {
        // From the shortest unit, so that rounding errors stay small.
        (0..COUNT).rev().map(|index| self.0[index] * IN_MILLISECONDS[index]).sum()
    }

    /// The same length in whole amounts of all units.
    pub(crate) fn normalize(self) -> Self {
        self.in_units(&Unit::ALL)
    }

    /// The whole length in one unit.
    pub(crate) fn total_in(self, unit: Unit) -> f64 {
        self.in_units(&[unit]).get(unit)
    }

    /// The same length in some units, ordered from the longest. All amounts but the last are whole.
    pub(crate) fn in_units(self, units: &[Unit]) -> Self {
        let mut built = Self::default();
        let mut rest = [0.0; COUNT];
        for unit in Unit::ALL {
            let index = unit as usize;
            if !units.contains(&unit) {
                rest[index] = self.0[index];
                continue;
            }
            let mut amount = self.0[index];
            for longer in &Unit::ALL[..index] {
                amount += longer.count_of(unit) * std::mem::take(&mut rest[*longer as usize]);
            }
            built.0[index] = amount.trunc();
            rest[index] = (amount * 1000.0 - amount.trunc() * 1000.0) / 1000.0;
        }
        if let Some(&last) = units.last() {
            for unit in Unit::ALL {
                let left = rest[unit as usize];
                if left != 0.0 {
                    let is_shorter = unit > last;
                    built.0[last as usize] +=
                        if is_shorter { left / last.count_of(unit) } else { left };
                }
            }
        }
        built.carry(units)
    }

    /// Carries amounts that exceed the next longer unit, and fractions into the next shorter one.
    fn carry(mut self, units: &[Unit]) -> Self {
        let sign = if self.milliseconds() < 0.0 { -1.0 } else { 1.0 };
        for pair in units.windows(2).rev() {
            let (longer, shorter) = (pair[0], pair[1]);
            let ratio = longer.count_of(shorter);
            let carried = (self.get(shorter) * sign / ratio).floor();
            self.0[longer as usize] += carried * sign;
            self.0[shorter as usize] -= carried * ratio * sign;
        }
        for pair in units.windows(2) {
            let (longer, shorter) = (pair[0], pair[1]);
            let fraction = self.get(longer) % 1.0;
            self.0[longer as usize] -= fraction;
            self.0[shorter as usize] += fraction * longer.count_of(shorter);
        }
        self
    }

    /// The same length in units by a format of `y`, `M`, `w`, `d`, `h`, `m`, `s` and `S`.
    pub(crate) fn format(self, format: &str) -> String {
        let tokens = super::format::tokenize(format);
        let unit = |token: &str| {
            Some(match token.as_bytes().first()? {
                b'y' => Unit::Year,
                b'M' => Unit::Month,
                b'w' => Unit::Week,
                b'd' => Unit::Day,
                b'h' => Unit::Hour,
                b'm' => Unit::Minute,
                b's' => Unit::Second,
                b'S' => Unit::Millisecond,
                _ => return None,
            })
        };
        let mut units: Vec<Unit> = tokens.iter().filter_map(|token| unit(token.code()?)).collect();
        units.sort_unstable();
        units.dedup();
        let shifted = if units.is_empty() { self } else { self.in_units(&units) };
        let written = tokens.iter().map(|token| match token.code() {
            Some(code) => match unit(code) {
                Some(unit) => pad_zeros(shifted.get(unit).floor(), code.len()),
                None => code.to_owned(),
            },
            None => token.literal().to_owned(),
        });
        written.collect()
    }
}

/// A whole number with leading zeros.
fn pad_zeros(number: f64, width: usize) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    format!("{sign}{:0width$}", number.abs())
}

/// In words: `1 day, 2 hours`. Empty if it is zero.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let normalized = self.normalize();
        let parts = Unit::ALL.into_iter().map(|unit| (normalized.get(unit), unit));
        let written = parts.filter(|(amount, _)| *amount != 0.0).map(|(amount, unit)| {
            let rounded = (amount * 1000.0).round() / 1000.0;
            let written = group_digits(rounded);
            let plural = if matches!(written.as_str(), "1" | "-1") { "" } else { "s" };
            format!("{written} {}{plural}", unit.name())
        });
        f.write_str(&written.collect::<Vec<_>>().join(", "))
    }
}
