//! Numbers and periods in words.

use std::time::Duration;

/// Writes a number with commas between thousands: `19,500`.
pub(crate) fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Writes a count with its noun: `5 operations`, `1 operation`.
pub(crate) fn pluralize(count: usize, one: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{} {one}{many}", group_digits(count))
}

/// Writes a period in its largest whole unit: `30 s`, `5 min`.
pub(crate) fn format_period(period: Duration) -> String {
    match period.as_millis() {
        millis if millis % 60_000 == 0 => format!("{} min", millis / 60_000),
        millis if millis % 1_000 == 0 => format!("{} s", millis / 1_000),
        millis => format!("{millis} ms"),
    }
}
