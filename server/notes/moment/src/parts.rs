//! Dates from their parts, as moment.js makes them of arrays and objects.

use jiff::ToSpan as _;
use jiff::civil::{Date, DateTime, Time};

use super::Moment;

/// The parts of a date: the year, the month from 0, the day, the hour, the minute, the second and the millisecond.
/// Not a number stands for a part that is none.
pub type Parts = [Option<f64>; 7];

impl Moment {
    /// The date that these parts give. If the first ones are missing, they are those of `now`; others that are missing
    /// are the first of their kind. Invalid if a part is out of its range.
    pub fn from_parts(parts: Parts, now: &Self) -> Self {
        Self(now.zoned().and_then(|now| {
            let today = now.date();
            let today = [f64::from(today.year()), f64::from(today.month() - 1), today.day().into()];
            let mut given = parts;
            for (part, usual) in given.iter_mut().zip(today).take_while(|(part, _)| part.is_none())
            {
                *part = Some(usual);
            }
            civil(given)?.to_zoned(now.time_zone().clone()).ok()
        }))
    }
}

fn civil(parts: Parts) -> Option<DateTime> {
    let [year, month, day, hour, minute, second, millisecond] = parts;
    let number = |part: Option<f64>, first: f64| whole(part.unwrap_or(first));
    let small = |part| i8::try_from(number(part, 0.0)?).ok();
    let month = small(month)?.checked_add(1)?;
    let date = Date::new(number(year, 0.0)?, month, i8::try_from(number(day, 1.0)?).ok()?).ok()?;
    let is_full_hour =
        [minute, second, millisecond].iter().all(|part| part.is_none_or(|part| part.abs() == 0.0));
    // 24:00 is the end of the day.
    let (hour, later) = match small(hour)? {
        24 if is_full_hour => (0, 1),
        hour => (hour, 0),
    };
    let millisecond = i32::from(number(millisecond, 0.0)?);
    let nanosecond = (0..1000).contains(&millisecond).then_some(millisecond * 1_000_000)?;
    let time = Time::new(hour, small(minute)?, small(second)?, nanosecond).ok()?;
    date.to_datetime(time).checked_add(later.days()).ok()
}

/// The number without its fraction; `None` if it is none, or larger than any part.
fn whole(number: f64) -> Option<i16> {
    let range = f64::from(i16::MIN)..=f64::from(i16::MAX);
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    range.contains(&number).then_some(number as i16)
}
