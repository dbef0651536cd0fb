//! Values of fields: one parser for notes and for callers.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use serde_json::Value as Json;

use super::field::Field;
use super::id::EntityId;
use super::kind::EntityKind;
use super::status::{Priority, Status};

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
    Priority(Priority),
    Ids(Vec<EntityId>),
    Flag(bool),
    Time(Timestamp),
    Texts(Vec<String>),
}

/// A value that a field cannot have. Its text is the end of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    /// It is none of the values that there are.
    #[error("expected {}, got {got}", join_alternatives(.expected))]
    Choice { expected: Vec<&'static str>, got: String },
    /// It is not in the form of the field.
    #[error("{0}")]
    Form(String),
}

impl FieldValue {
    /// Parses a value that is not null.
    pub(crate) fn parse(field: Field, kind: EntityKind, value: &Json) -> Result<Self, Misfit> {
        let choice =
            |expected: Vec<&'static str>| Err(Misfit::Choice { expected, got: shorten(value) });
        let form = Misfit::Form;
        match field {
            Field::Id | Field::Parent | Field::Supersedes | Field::SupersededBy => {
                parse_reference(value).map(Self::Id).map_err(form)
            }
            Field::Type => match value.as_str().and_then(EntityKind::from_name) {
                Some(kind) => Ok(Self::Kind(kind)),
                None => choice(EntityKind::ALL.map(EntityKind::name).to_vec()),
            },
            Field::Status => match value.as_str().and_then(Status::from_name) {
                Some(status) if kind.statuses().contains(&status) => Ok(Self::Status(status)),
                _ => choice(kind.statuses().iter().map(|status| status.name()).collect()),
            },
            Field::Priority => match value.as_str().and_then(Priority::from_name) {
                Some(priority) => Ok(Self::Priority(priority)),
                None => choice(Priority::ALL.map(Priority::name).to_vec()),
            },
            Field::Title | Field::Workstream | Field::DecidedBy | Field::Version => {
                parse_line(value).map(Self::Text).map_err(form)
            }
            Field::Context | Field::Decision | Field::Rationale | Field::ChangeSummary => {
                parse_text(value).map(Self::Text).map_err(form)
            }
            Field::DependsOn | Field::Enables | Field::Decisions => {
                parse_list(value, parse_reference).map(Self::Ids).map_err(form)
            }
            Field::Tags => parse_list(value, parse_tag).map(Self::Texts).map_err(form),
            Field::Archived => match value {
                Json::Bool(flag) => Ok(Self::Flag(*flag)),
                _ => choice(vec!["true", "false"]),
            },
            Field::Created | Field::Updated => match value.as_str().and_then(parse_time) {
                Some(time) => Ok(Self::Time(time)),
                None => choice(vec!["a date", "a time such as 2026-03-09T12:00:00Z"]),
            },
        }
    }

    /// The value as it is written.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Id(id) => Json::String(id.to_string()),
            Self::Kind(kind) => kind.name().into(),
            Self::Text(text) => text.as_str().into(),
            Self::Status(status) => status.name().into(),
            Self::Priority(priority) => priority.name().into(),
            Self::Ids(ids) => ids.iter().map(EntityId::to_string).collect(),
            Self::Flag(flag) => (*flag).into(),
            Self::Time(time) => time.to_string().into(),
            Self::Texts(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

/// A time as it is written, in whole seconds.
pub(crate) fn format_time(time: Timestamp) -> Json {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    Json::String(whole.to_string())
}

/// Names as alternatives: `a, b or c`.
pub(crate) fn join_alternatives(names: &[&str]) -> String {
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
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

fn parse_reference(value: &Json) -> Result<EntityId, String> {
    // Without quotes, `[[T-001]]` is YAML for a list in a list.
    if let Json::Array(outer) = value
        && let [Json::Array(inner)] = outer.as_slice()
        && let [Json::String(target)] = inner.as_slice()
    {
        return EntityId::from_reference(&format!("[[{target}]]"))
            .map_err(|error| error.to_string());
    }
    match value {
        Json::String(text) => EntityId::from_reference(text).map_err(|error| error.to_string()),
        other => Err(format!("expected an id such as T-001, got {}", shorten(other))),
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

fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = || {
        let at = text.parse::<DateTime>().ok();
        at.or_else(|| Some(text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight())))
    };
    let in_utc = |at: DateTime| at.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    text.parse::<Timestamp>().ok().or_else(|| in_utc(civil()?))
}
