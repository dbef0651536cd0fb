//! `moment()` and the methods of its dates. As in moment.js, changes change the date itself.

use std::rc::Rc;

use jiff::civil::Weekday;

use super::convert::Arguments;
use super::ids::MomentId;
use super::value::Value;
use super::{Outcome, Position, Run};
use toolwrit_moment::{Duration, Moment, Parts, Unit};

impl Run<'_> {
    /// `moment()`, `moment(text)`, `moment(text, format)`, `moment(milliseconds)`, `moment(date)`,
    /// `moment([2024, 3, 27])` and `moment({ year: 2024, month: 3 })`.
    pub(super) fn create_moment(
        &mut self,
        position: Position,
        arguments: &mut Arguments,
    ) -> Outcome<Value> {
        let value = arguments.next();
        let format = arguments.next_given();
        let format = match &format {
            Some(format) => Some(self.convert_to_text(position, format)?.into_owned()),
            None => None,
        };
        let now = self.now();
        let moment = match (&value, format) {
            (Value::Undefined, _) => now,
            (Value::Moment(id), _) => self.heap.moment(*id).clone(),
            (Value::Null | Value::Boolean(_), _) => Moment::parse_iso("", &now),
            (value, Some(format)) => {
                Moment::parse(&self.convert_to_text(position, value)?, &format, &now)
            }
            (Value::Number(milliseconds), None) => Moment::from_milliseconds(*milliseconds, &now),
            (Value::String(text), None) => Moment::parse_iso(text, &now),
            (Value::Array(_) | Value::Object(_), None) => {
                match self.entries(position, &value)?.as_slice() {
                    [] => now,
                    entries => {
                        Moment::from_parts(self.date_parts(position, &value, entries)?, &now)
                    }
                }
            }
            _ => Moment::parse_iso("", &now),
        };
        self.moment(position, moment)
    }

    /// The parts of a date in an array, or in an object with names of units.
    fn date_parts(
        &mut self,
        position: Position,
        value: &Value,
        entries: &[(Rc<str>, Value)],
    ) -> Outcome<Parts> {
        let mut parts = Parts::default();
        if let Value::Array(_) = value {
            for (part, (_, value)) in parts.iter_mut().zip(entries) {
                *part = Some(self.whole_number(position, value)?);
            }
            return Ok(parts);
        }
        let named = |part: &str| {
            let found = entries.iter().rev().find(|(name, _)| date_part(name) == part);
            found.map(|(_, value)| value).filter(|value| !matches!(value, Value::Undefined))
        };
        let day = named("day").or_else(|| named("date"));
        let times = ["hour", "minute", "second", "millisecond"].map(named);
        let values = [named("year"), named("month"), day].into_iter().chain(times);
        for (part, value) in parts.iter_mut().zip(values) {
            *part = match value {
                None | Some(Value::Null) => None,
                // moment.js takes it as it is, and JavaScript as a zero.
                Some(Value::Boolean(false)) => Some(0.0),
                Some(Value::String(text)) if text.is_empty() => Some(0.0),
                Some(value) => Some(self.whole_number(position, value)?),
            };
        }
        Ok(parts)
    }

    /// What `parseInt` makes of a value.
    fn whole_number(&mut self, position: Position, value: &Value) -> Outcome<f64> {
        let mut arguments = Arguments(vec![value.clone(), Value::Number(10.0)]);
        match self.parse_int(position, &mut arguments)? {
            Value::Number(number) => Ok(number),
            _ => Ok(f64::NAN),
        }
    }

    /// Calls a method; `None` if there is none of this name.
    pub(super) fn moment_method(
        &mut self,
        position: Position,
        id: MomentId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let moment = self.heap.moment(id).clone();
        let value = match name {
            "format" => {
                let format = match arguments.next_given() {
                    Some(format) => self.convert_to_text(position, &format)?.into_owned(),
                    None => String::new(),
                };
                self.take_steps(position, format.len())?;
                let text = moment.format(&format);
                self.string(position, &text)?
            }
            "toString" => {
                let text = moment.format("ddd MMM DD YYYY HH:mm:ss [GMT]ZZ");
                self.string(position, &text)?
            }
            "toISOString" | "toJSON" => {
                let text = moment.to_iso();
                self.string(position, &text)?
            }
            "clone" => self.moment(position, moment)?,
            "isValid" => Value::Boolean(moment.is_valid()),
            "valueOf" => Value::Number(moment.milliseconds()),
            "unix" => Value::Number((moment.milliseconds() / 1000.0).floor()),
            "local" => Value::Moment(id),
            "locale" => {
                let Some(locale) = arguments.next_given() else {
                    return self.string(position, "en").map(Some);
                };
                match &*self.convert_to_text(position, &locale)? {
                    "en" => Value::Moment(id),
                    other => {
                        return Self::unsupported_failure(
                            position,
                            format!("the locale `{other}`"),
                        );
                    }
                }
            }
            "daysInMonth" => {
                let days = moment.zoned().map_or(f64::NAN, |at| f64::from(at.days_in_month()));
                Value::Number(days)
            }
            "add" | "subtract" => {
                let duration = self.read_duration(position, arguments)?;
                let duration = if name == "add" { duration } else { duration.negate() };
                return Ok(Some(self.replace_moment(id, moment.plus(duration))));
            }
            "startOf" | "endOf" => {
                let unit = self.parse_unit(position, &arguments.next())?;
                let moved =
                    if name == "startOf" { moment.start_of(unit) } else { moment.end_of(unit) };
                return Ok(Some(self.replace_moment(id, moved)));
            }
            "diff" => {
                let other = self.convert_to_moment(position, &arguments.next())?;
                let unit = match arguments.next_given() {
                    Some(unit) => self.parse_unit(position, &unit)?,
                    None => Unit::Millisecond,
                };
                let difference = moment.since(&other, unit);
                let exact = arguments.next().is_truthy();
                // `+ 0.0` turns a negative zero into zero.
                Value::Number(if exact { difference } else { difference.trunc() + 0.0 })
            }
            "isBefore" | "isAfter" | "isSame" | "isSameOrBefore" | "isSameOrAfter" => {
                let other = self.convert_to_moment(position, &arguments.next())?;
                let unit = match arguments.next_given() {
                    Some(unit) => self.parse_unit(position, &unit)?,
                    None => Unit::Millisecond,
                };
                let (a, b) =
                    (moment.start_of(unit).milliseconds(), other.start_of(unit).milliseconds());
                Value::Boolean(match name {
                    "isBefore" => a < b,
                    "isAfter" => a > b,
                    "isSameOrBefore" => a <= b,
                    "isSameOrAfter" => a >= b,
                    #[expect(clippy::float_cmp, reason = "milliseconds are whole")]
                    _ => a == b,
                })
            }
            _ => return self.moment_part(position, id, name, arguments),
        };
        Ok(Some(value))
    }

    /// Methods that read or change a part of the date.
    fn moment_part(
        &mut self,
        position: Position,
        id: MomentId,
        name: &str,
        arguments: &mut Arguments,
    ) -> Outcome<Option<Value>> {
        let moment = self.heap.moment(id).clone();
        let format = match name {
            "year" | "years" => "Y",
            "quarter" => "Q",
            "month" | "months" => "M",
            "date" | "dates" => "D",
            "day" | "days" | "weekday" => "d",
            "isoWeekday" => "E",
            "dayOfYear" => "DDD",
            "week" | "weeks" => "w",
            "isoWeek" | "isoWeeks" => "W",
            "weekYear" => "gggg",
            "isoWeekYear" => "GGGG",
            "hour" | "hours" => "H",
            "minute" | "minutes" => "m",
            "second" | "seconds" => "s",
            "millisecond" | "milliseconds" => "SSS",
            _ => return Ok(None),
        };
        // Months count from 0.
        let shift = if format == "M" { 1.0 } else { 0.0 };
        let current =
            moment.format(format).parse::<f64>().map_or(f64::NAN, |number| number - shift);
        let Some(new) = arguments.next_given() else { return Ok(Some(Value::Number(current))) };
        let new = self.convert_to_number(position, &new)?;
        let moved = match format {
            "d" => moment.on_weekday(Weekday::Sunday, new),
            "E" => moment.on_weekday(Weekday::Monday, new - 1.0),
            "Y" => moment.plus(Duration::new(new - current, Unit::Year)),
            "Q" => moment.plus(Duration::new(new - current, Unit::Quarter)),
            "M" => moment.plus(Duration::new(new - current, Unit::Month)),
            "D" | "DDD" => moment.plus(Duration::new(new - current, Unit::Day)),
            "w" | "W" => moment.plus(Duration::new(new - current, Unit::Week)),
            "H" => moment.plus(Duration::new(new - current, Unit::Hour)),
            "m" => moment.plus(Duration::new(new - current, Unit::Minute)),
            "s" => moment.plus(Duration::new(new - current, Unit::Second)),
            "SSS" => moment.plus(Duration::new(new - current, Unit::Millisecond)),
            _ => return Ok(None),
        };
        Ok(Some(self.replace_moment(id, moved)))
    }

    fn replace_moment(&mut self, id: MomentId, new: Moment) -> Value {
        *self.heap.moment_mut(id) = new;
        Value::Moment(id)
    }

    /// A date, or what `moment()` makes of the value.
    fn convert_to_moment(&mut self, position: Position, value: &Value) -> Outcome<Moment> {
        match self.create_moment(position, &mut Arguments(vec![value.clone()]))? {
            Value::Moment(id) => Ok(self.heap.moment(id).clone()),
            _ => Self::failure(position, "expected a date"),
        }
    }

    fn parse_unit(&mut self, position: Position, value: &Value) -> Outcome<Unit> {
        let name = self.convert_to_text(position, value)?;
        match Unit::parse(&name) {
            Some(unit) => Ok(unit),
            None => Self::failure(position, format!("`{name}` is no unit of time, such as `days`")),
        }
    }

    /// `(1, "days")`, `({ days: 1 })` or `("P1D")`.
    fn read_duration(
        &mut self,
        position: Position,
        arguments: &mut Arguments,
    ) -> Outcome<Duration> {
        let amount = arguments.next();
        if let Some(unit) = arguments.next_given() {
            let unit = self.parse_unit(position, &unit)?;
            return Ok(Duration::new(self.convert_to_number(position, &amount)?, unit));
        }
        match &amount {
            Value::Object(_) => {
                let mut total = Duration::default();
                for (key, value) in self.entries(position, &amount)? {
                    let unit = self.parse_unit(position, &Value::String(key))?;
                    total =
                        total.plus(Duration::new(self.convert_to_number(position, &value)?, unit));
                }
                Ok(total)
            }
            Value::String(text) => Ok(Duration::parse_iso(text)),
            other => Ok(Duration::new(self.convert_to_number(position, other)?, Unit::Millisecond)),
        }
    }

    /// The functions of `tp.date`. The first argument is the format.
    pub(super) fn date_text(
        &mut self,
        position: Position,
        moment: &Moment,
        format: &str,
    ) -> Outcome<Value> {
        self.take_steps(position, format.len())?;
        let text = moment.format(format);
        self.string(position, &text)
    }

    /// The reference date of `tp.date.now` and `tp.date.weekday`: a text and its format, or now.
    pub(super) fn reference_date(
        &mut self,
        position: Position,
        arguments: &mut Arguments,
    ) -> Outcome<Moment> {
        let (text, format) = (arguments.next(), arguments.next());
        let moment = self.create_moment(position, &mut Arguments(vec![text.clone(), format]))?;
        match moment {
            Value::Moment(id) if self.heap.moment(id).is_valid() => {
                Ok(self.heap.moment(id).clone())
            }
            _ => {
                let text = self.convert_to_text(position, &text)?;
                let message = format!(
                    "the reference `{text}` is no date in its format; give the format as the next argument"
                );
                Self::failure(position, message)
            }
        }
    }
}

/// The part of a date that a name means in an object. Others have no effect there.
fn date_part(name: &str) -> &'static str {
    match name {
        "M" => return "month",
        "D" => return "date",
        _ => {}
    }
    match name.to_ascii_lowercase().as_str() {
        "y" | "year" | "years" => "year",
        "month" | "months" => "month",
        "date" | "dates" => "date",
        "d" | "day" | "days" => "day",
        "h" | "hour" | "hours" => "hour",
        "m" | "minute" | "minutes" => "minute",
        "s" | "second" | "seconds" => "second",
        "ms" | "millisecond" | "milliseconds" => "millisecond",
        _ => "",
    }
}
