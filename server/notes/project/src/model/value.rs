//! Values of fields: one parser for notes and for callers.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value as Json;

use super::alternatives::join_alternatives;
use super::checklist::{Criterion, parse_criteria};
use super::field::Field;
use super::id::EntityId;
use super::kind::EntityKind;
use super::status::{Priority, Status};
use super::words::Words;

/// Longest title, workstream, tag or other single line, in characters.
const LINE_LIMIT: usize = 500;
/// Longest text of a field, in characters.
const TEXT_LIMIT: usize = 100_000;
/// Most items in a list.
const LIST_LIMIT: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldValue {
    Id(EntityId),
    Kind(EntityKind),
    Text(String),
    Status(Status),
    /// `None` for a word that says that there is none.
    Priority(Option<Priority>),
    Day(Date),
    /// Who does it. A single one is written as a text.
    People(Vec<String>),
    Criteria(Vec<Criterion>),
    Ids(Vec<EntityId>),
    Flag(bool),
    Time(Timestamp),
    Texts(Vec<String>),
}

/// A value that a field cannot have. Its text is the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// It is none of the values that there are.
    #[error("expected {}, got {got}", join_texts(.expected))]
    Choice { expected: Vec<String>, got: String },
    /// It is not in the form of the field.
    #[error("{0}")]
    Form(String),
}

/// What is needed to read values: the team's words, and the entity that a link leads to.
#[derive(Clone, Copy)]
pub(crate) struct Interpreter<'a> {
    pub(crate) words: &'a Words,
    /// The entity behind the target of a link; otherwise why there is none.
    pub(crate) follow: &'a dyn Fn(&str) -> Result<EntityId, String>,
}

impl Interpreter<'_> {
    /// Parses a value that is not null.
    pub(crate) fn parse(
        &self,
        field: Field,
        kind: EntityKind,
        value: &Json,
    ) -> Result<FieldValue, Misfit> {
        let choice = |expected: &[&str]| {
            let expected = expected.iter().map(|name| (*name).to_owned()).collect();
            Err(Misfit::Choice { expected, got: shorten(value) })
        };
        let form = Misfit::Form;
        let reference = |value: &Json| self.parse_reference(value);
        match field {
            Field::Id
            | Field::Parent
            | Field::Supersedes
            | Field::SupersededBy
            | Field::ArchivedWith => reference(value).map(FieldValue::Id).map_err(form),
            Field::Type => match value.as_str().and_then(|name| self.words.kind_of_type(name)) {
                Some(kind) => Ok(FieldValue::Kind(kind)),
                None => choice(&EntityKind::ALL.map(EntityKind::name)),
            },
            Field::Status => match value.as_str().and_then(|name| self.words.status(kind, name)) {
                Some(status) => Ok(FieldValue::Status(status)),
                None => choice(&self.words.status_names(kind)),
            },
            Field::Priority => match value.as_str().and_then(|name| self.words.priority(name)) {
                Some(priority) => Ok(FieldValue::Priority(priority)),
                None => choice(&Priority::ALL.map(Priority::name)),
            },
            Field::Title | Field::Workstream | Field::Version | Field::Estimate => {
                parse_line(value).map(FieldValue::Text).map_err(form)
            }
            // Several people may have decided.
            Field::DecidedBy => match value {
                Json::Array(_) => parse_list(value, parse_line)
                    .map(|names| FieldValue::Text(names.join(", ")))
                    .map_err(form),
                value => parse_line(value).map(FieldValue::Text).map_err(form),
            },
            Field::Context | Field::Decision | Field::Rationale | Field::ChangeSummary => {
                parse_text(value).map(FieldValue::Text).map_err(form)
            }
            Field::DependsOn | Field::Enables | Field::Decisions => {
                parse_list(value, reference).map(FieldValue::Ids).map_err(form)
            }
            Field::Tags => parse_list(value, parse_tag).map(FieldValue::Texts).map_err(form),
            Field::Labels => parse_list(value, parse_line).map(FieldValue::Texts).map_err(form),
            Field::Assignee => parse_list(value, parse_line).map(FieldValue::People).map_err(form),
            Field::AcceptanceCriteria => {
                parse_criteria(value).map(FieldValue::Criteria).map_err(form)
            }
            Field::Due => match value.as_str().and_then(parse_day) {
                Some(day) => Ok(FieldValue::Day(day)),
                None => choice(&["a day such as 2026-03-09"]),
            },
            Field::Archived => match value {
                Json::Bool(flag) => Ok(FieldValue::Flag(*flag)),
                _ => choice(&["true", "false"]),
            },
            Field::Created | Field::Updated => match value.as_str().and_then(parse_time) {
                Some(time) => Ok(FieldValue::Time(time)),
                None => choice(&["a date", "a time such as 2026-03-09T12:00:00Z"]),
            },
        }
    }

    /// The entity that an id or a link names. Other programs have links in `uid`.
    fn parse_reference(&self, value: &Json) -> Result<EntityId, String> {
        let value = value.get("uid").unwrap_or(value);
        if let Some(target) = link_target(value) {
            return (self.follow)(&target);
        }
        match value {
            Json::String(text) => self.words.parse_id(text).map_err(|error| error.to_string()),
            other => {
                let first = self.words.ids().id(EntityKind::Task, 1);
                let example = first.map(|id| id.to_string()).unwrap_or_default();
                Err(format!("expected an id such as {example}, got {}", shorten(other)))
            }
        }
    }
}

/// The target of a link, without its heading and its text: `[[Form#Why|the form]]`.
pub(crate) fn link_target(value: &Json) -> Option<String> {
    // Without quotes, `[[T-001]]` is YAML for a list in a list.
    let text = match value {
        Json::Array(outer) => match outer.as_slice() {
            [Json::Array(inner)] => match inner.as_slice() {
                [Json::String(target)] => target.as_str(),
                _ => return None,
            },
            _ => return None,
        },
        Json::String(text) => {
            text.trim().trim_start_matches('!').strip_prefix("[[")?.strip_suffix("]]")?
        }
        _ => return None,
    };
    Some(text.split(['|', '#']).next().unwrap_or(text).trim().to_owned())
}

impl FieldValue {
    /// The value as it is written, with the words of a team.
    pub(crate) fn to_json(&self, kind: EntityKind, words: &Words) -> Json {
        match self {
            Self::Id(id) => Json::String(id.to_string()),
            Self::Kind(kind) => kind.name().into(),
            Self::Text(text) => text.as_str().into(),
            Self::Status(status) => words.status_word(kind, *status).into(),
            Self::Priority(Some(priority)) => words.priority_word(*priority).into(),
            Self::Priority(None) => Json::Null,
            Self::Day(day) => day.to_string().into(),
            Self::Ids(ids) => ids.iter().map(EntityId::to_string).collect(),
            Self::Flag(flag) => (*flag).into(),
            Self::Time(time) => time.to_string().into(),
            Self::People(people) if people.len() == 1 => people[0].as_str().into(),
            Self::Texts(texts) | Self::People(texts) => texts.iter().map(String::as_str).collect(),
            Self::Criteria(criteria) => criteria
                .iter()
                .map(|Criterion { text, done }| {
                    if *done {
                        Json::from(format!("[x] {text}"))
                    } else {
                        Json::from(text.as_str())
                    }
                })
                .collect(),
        }
    }
}

/// A time as it is written, in whole seconds.
pub(crate) fn format_time(time: Timestamp) -> Json {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    Json::String(whole.to_string())
}

fn join_texts(texts: &[String]) -> String {
    join_alternatives(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A value for a message.
fn shorten(value: &Json) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

fn parse_line(value: &Json) -> Result<String, String> {
    let text = match value {
        Json::String(text) => text.trim().to_owned(),
        Json::Number(number) => number.to_string(),
        other => return Err(format!("expected text, got {}", shorten(other))),
    };
    if text.is_empty() {
        return Err("expected text, got nothing".to_owned());
    }
    if text.contains(['\n', '\r', '\0']) {
        return Err("expected a single line".to_owned());
    }
    if text.chars().count() > LINE_LIMIT {
        return Err(format!("expected at most {LINE_LIMIT} characters"));
    }
    Ok(text)
}

fn parse_text(value: &Json) -> Result<String, String> {
    let Json::String(text) = value else {
        return Err(format!("expected text, got {}", shorten(value)));
    };
    if text.contains('\0') || text.chars().count() > TEXT_LIMIT {
        return Err(format!("expected at most {TEXT_LIMIT} characters, without NUL"));
    }
    Ok(text.clone())
}

/// A list, or a single item.
fn parse_list<T: PartialEq>(
    value: &Json,
    item: impl Fn(&Json) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let single = std::slice::from_ref(value);
    let is_link = |items: &[Json]| matches!(items, [Json::Array(_)]);
    let items = match value {
        Json::Array(items) if !is_link(items) || item(value).is_err() => items.as_slice(),
        _ => single,
    };
    if items.len() > LIST_LIMIT {
        return Err(format!("expected at most {LIST_LIMIT} items"));
    }
    let mut all = Vec::with_capacity(items.len());
    for value in items {
        let parsed = item(value)?;
        if !all.contains(&parsed) {
            all.push(parsed);
        }
    }
    Ok(all)
}

fn parse_tag(value: &Json) -> Result<String, String> {
    let tag = parse_line(value)?;
    let tag = tag.trim_start_matches('#');
    if tag.is_empty() || tag.contains([' ', ',', '\t']) {
        return Err(format!("expected a tag without spaces, got {}", shorten(value)));
    }
    Ok(tag.to_owned())
}

/// A day, also that of a time.
fn parse_day(text: &str) -> Option<Date> {
    let text = text.trim();
    text.parse().ok().or_else(|| text.get(..10)?.parse().ok())
}

fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = || {
        let at = text.parse::<DateTime>().ok();
        at.or_else(|| Some(text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight())))
    };
    let in_utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>().ok().or_else(|| in_utc(civil()?))
}
