//! Units of time, and the parts of a date.

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Year,
    /// Three months, from January, April, July or October.
    Quarter,
    Month,
    /// A week that begins on Sunday.
    Week,
    /// A week that begins on Monday.
    IsoWeek,
    /// A day, midnight to midnight.
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
}

impl Unit {
    /// The unit with this name: `days`, `day` or `d`.
    pub fn parse(name: &str) -> Option<Self> {
        let exact = match name {
            "M" => Some(Self::Month),
            "m" => Some(Self::Minute),
            "D" | "d" => Some(Self::Day),
            "Q" => Some(Self::Quarter),
            "W" => Some(Self::IsoWeek),
            "w" => Some(Self::Week),
            "y" => Some(Self::Year),
            "h" => Some(Self::Hour),
            "s" => Some(Self::Second),
            "ms" => Some(Self::Millisecond),
            _ => None,
        };
        let lower = name.to_ascii_lowercase();
        exact.or_else(|| match lower.strip_suffix('s').unwrap_or(&lower) {
            "year" => Some(Self::Year),
            "quarter" => Some(Self::Quarter),
            "month" => Some(Self::Month),
            "week" => Some(Self::Week),
            "isoweek" => Some(Self::IsoWeek),
            "day" | "date" => Some(Self::Day),
            "hour" => Some(Self::Hour),
            "minute" => Some(Self::Minute),
            "second" => Some(Self::Second),
            "millisecond" => Some(Self::Millisecond),
            _ => None,
        })
    }
}
