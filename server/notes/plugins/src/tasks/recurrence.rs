//! Rules by which tasks recur.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _, Unit};

use super::fields::{FieldKind, TaskText};

/// The most units between two occurrences.
const MOST: i64 = 9_999;

/// `every [N] day|week|month|year [when done]`. The plugin knows more rules; none of them is guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Recurrence {
    number: i64,
    unit: Unit,
    /// Whether the next occurrence counts from the day on which the task is done.
    from_today: bool,
}

impl Recurrence {
    /// # Errors
    /// Why the rule cannot be followed.
    pub(super) fn parse(rule: &str) -> Result<Self, String> {
        let lower = rule.trim().to_ascii_lowercase();
        let (every, from_today) = match lower.strip_suffix(" when done") {
            Some(every) => (every, true),
            None => (lower.as_str(), false),
        };
        let words: Vec<&str> = every.split_whitespace().collect();
        let (number, unit) = match words[..] {
            ["every", unit] => (Some(1), unit),
            ["every", number, unit] => (number.parse().ok(), unit),
            _ => (None, ""),
        };
        let unit = match unit {
            "day" | "days" => Some(Unit::Day),
            "week" | "weeks" => Some(Unit::Week),
            "month" | "months" => Some(Unit::Month),
            "year" | "years" => Some(Unit::Year),
            _ => None,
        };
        let number = number.filter(|number| (1..=MOST).contains(number));
        number.zip(unit).map(|(number, unit)| Self { number, unit, from_today }).ok_or_else(|| {
            format!(
                "it recurs by the rule `{rule}`, and its next occurrence can only be made for `every [N] day|week|month|year [when done]`; let the user complete it in Obsidian"
            )
        })
    }

    /// How many days later the next occurrence is. Its day counts from the due date, otherwise from the scheduled or the
    /// start date, and in a shorter month it is the last day.
    ///
    /// # Errors
    /// Why there is no next occurrence.
    pub(super) fn days_later(self, task: &TaskText<'_>, today: Date) -> Result<i64, String> {
        let dated = [FieldKind::Due, FieldKind::Scheduled, FieldKind::Start];
        let Some(field) = dated.iter().find_map(|kind| task.find(*kind)) else { return Ok(0) };
        let date: Date =
            field.value.parse().map_err(|_| format!("`{}` is no date", field.value))?;
        let from = if self.from_today { today } else { date };
        let span = match self.unit {
            Unit::Day => Span::new().try_days(self.number),
            Unit::Week => Span::new().try_weeks(self.number),
            Unit::Month => Span::new().try_months(self.number),
            _ => Span::new().try_years(self.number),
        };
        let next = span.and_then(|span| from.checked_add(span));
        let next = next.map_err(|_| format!("`{date}` has no next occurrence in the calendar"))?;
        let later = next.since((Unit::Day, date)).map(|later| later.get_days());
        later.map(i64::from).map_err(|error| error.to_string())
    }
}

/// A date in a task, some days later.
///
/// # Errors
/// The text is no date, or the result leaves the calendar.
pub(super) fn shift(date: &str, days: i64) -> Result<String, String> {
    let day: Date = date.parse().map_err(|_| format!("`{date}` is no date"))?;
    let later = day.checked_add(days.days());
    later.map(|day| day.to_string()).map_err(|_| format!("`{date}` cannot be moved"))
}
