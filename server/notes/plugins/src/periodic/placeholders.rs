//! The placeholders in templates of periodic notes. In addition to those of the core plugin Templates there are
//! `{{date+1d:F}}`, `{{month-1m:F}}`, `{{yesterday}}`, `{{tomorrow}}` and `{{monday:F}}`, where F is a format.

use toolwrit_moment::{Duration, Moment, Unit, WEEKDAYS};

use super::Period;
use super::settings::PeriodSettings;
use crate::templater::placeholders::{Placeholders, fill_with};

/// The dates of a new note.
pub(super) struct NoteDates<'a> {
    /// The first day of its period, at the current time of day.
    pub(super) first: &'a Moment,
    pub(super) title: &'a str,
    pub(super) period: &'a PeriodSettings,
    /// The formats of placeholders that any template has.
    pub(super) usual: &'a Placeholders,
}

impl NoteDates<'_> {
    /// Replaces the placeholders in a template. Anything else in braces stays.
    pub(super) fn fill(&self, template: &str) -> String {
        fill_with(template, |placeholder| self.value(placeholder))
    }

    fn value(&self, placeholder: &str) -> Option<String> {
        let (name, format) = match placeholder.split_once(':') {
            Some((name, format)) => (name, Some(format.trim())),
            None => (placeholder, None),
        };
        let name = name.trim().to_ascii_lowercase();
        let write = |at: &Moment, usual: &str| {
            at.format_in_weeks(format.unwrap_or(usual), self.period.first_weekday)
        };
        match name.as_str() {
            "title" if format.is_none() => return Some(self.title.to_owned()),
            "yesterday" => return Some(write(&self.first.days_later(-1), &self.period.format)),
            "tomorrow" => return Some(write(&self.first.days_later(1), &self.period.format)),
            _ => {}
        }
        if let Some(weekday) = WEEKDAYS.iter().position(|day| day.eq_ignore_ascii_case(&name)) {
            return Some(write(&self.weekday(weekday), format?));
        }
        let (name, shift) = name.split_at(name.find(['+', '-']).unwrap_or(name.len()));
        let name = name.trim_end();
        let usual = match name {
            "date" if self.period.period == Period::Day => &self.usual.date_format,
            "time" => &self.usual.time_format,
            "date" | "month" | "quarter" | "year" => &self.period.format,
            _ => return None,
        };
        let at = if shift.is_empty() { self.first.clone() } else { self.shift(name, shift)? };
        Some(write(&at, usual))
    }

    /// A weekday of the week with the first day, counted from Sunday.
    fn weekday(&self, from_sunday: usize) -> Moment {
        let first_weekday = self.period.first_weekday;
        let from_sunday = i32::try_from(from_sunday).unwrap_or_default();
        let later = from_sunday - i32::from(first_weekday.to_sunday_zero_offset());
        self.first.start_of_week(first_weekday).days_later(later.rem_euclid(7))
    }

    /// The first day after a shift such as `+1d`.
    fn shift(&self, name: &str, shift: &str) -> Option<Moment> {
        let unit = shift.chars().next_back()?;
        let number: i32 = shift[..shift.len() - unit.len_utf8()].parse().ok()?;
        let unit = match unit {
            'y' => Unit::Year,
            'q' => Unit::Quarter,
            'm' if name == "time" => Unit::Minute,
            'm' => Unit::Month,
            'w' => Unit::Week,
            'd' => Unit::Day,
            'h' => Unit::Hour,
            's' => Unit::Second,
            _ => return None,
        };
        Some(self.first.plus(Duration::new(f64::from(number), unit)))
    }
}
