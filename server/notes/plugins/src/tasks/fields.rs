//! The fields at the end of a task, in the two formats of the plugin Tasks.

use jiff::civil::Date;
use toolwrit_vault::document::Span;

/// How the fields of tasks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TaskFormat {
    /// `📅 2026-03-09`
    #[default]
    Emoji,
    /// `[due:: 2026-03-09]`
    Dataview,
}

/// What a field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Priority,
    Created,
    Start,
    Scheduled,
    Due,
    Done,
    Cancelled,
    Recurrence,
    OnCompletion,
    Id,
    DependsOn,
}

/// A field of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    pub kind: FieldKind,
    /// Its value. For a priority in the format of emoji, the emoji.
    pub value: &'a str,
    /// The field with the white space before it.
    pub span: Span,
    /// Where its value is.
    pub value_span: Span,
}

/// The text of a task, from its checkbox to the end of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskText<'a> {
    pub text: &'a str,
    /// The fields, the last first. Only those count that no other text follows, except tags.
    pub fields: Vec<Field<'a>>,
    /// Where the fields end: before a block id and white space.
    pub end: usize,
    /// The block id with the white space before it; empty if there is none.
    pub id: Span,
}

/// The most fields of a task, as the plugin has it.
const MOST: usize = 20;

/// The signs of fields. The first sign of each kind is the one that is written.
const SIGNS: [(char, FieldKind); 18] = [
    ('🔺', FieldKind::Priority),
    ('⏫', FieldKind::Priority),
    ('🔼', FieldKind::Priority),
    ('🔽', FieldKind::Priority),
    ('⏬', FieldKind::Priority),
    ('➕', FieldKind::Created),
    ('🛫', FieldKind::Start),
    ('⏳', FieldKind::Scheduled),
    ('⌛', FieldKind::Scheduled),
    ('📅', FieldKind::Due),
    ('📆', FieldKind::Due),
    ('🗓', FieldKind::Due),
    ('✅', FieldKind::Done),
    ('❌', FieldKind::Cancelled),
    ('🔁', FieldKind::Recurrence),
    ('🏁', FieldKind::OnCompletion),
    ('🆔', FieldKind::Id),
    ('⛔', FieldKind::DependsOn),
];

/// The keys of fields in the format of Dataview.
const KEYS: [(&str, FieldKind); 11] = [
    ("priority", FieldKind::Priority),
    ("created", FieldKind::Created),
    ("start", FieldKind::Start),
    ("scheduled", FieldKind::Scheduled),
    ("due", FieldKind::Due),
    ("completion", FieldKind::Done),
    ("cancelled", FieldKind::Cancelled),
    ("repeat", FieldKind::Recurrence),
    ("onCompletion", FieldKind::OnCompletion),
    ("id", FieldKind::Id),
    ("dependsOn", FieldKind::DependsOn),
];

impl TaskFormat {
    /// A field as it is added to a task, with the white space before it.
    pub(super) fn write(self, kind: FieldKind, value: &str) -> String {
        match self {
            Self::Emoji => {
                let sign = SIGNS.iter().find(|(_, of)| *of == kind);
                format!(" {} {value}", sign.map_or(' ', |(sign, _)| *sign))
            }
            // Two spaces, as the plugin has it: Obsidian hides every other field otherwise.
            Self::Dataview => {
                let key = KEYS.iter().find(|(_, of)| *of == kind);
                format!("  [{}:: {value}]", key.map_or("", |(key, _)| *key))
            }
        }
    }
}

impl<'a> TaskText<'a> {
    /// Finds the fields of a task.
    pub fn parse(text: &'a str, format: TaskFormat) -> Self {
        let id = find_block_id(text);
        let end = text[..id.start].trim_end().len();
        let mut fields: Vec<Field<'a>> = Vec::new();
        let mut rest = &text[..end];
        for _ in 0..MOST {
            let field = match format {
                TaskFormat::Emoji => find_sign(rest),
                TaskFormat::Dataview => find_key(rest),
            };
            if let Some(field) = field {
                rest = &text[..field.span.start];
                fields.push(field);
            } else if let Some(before) = without_tag(rest) {
                rest = before;
            } else {
                break;
            }
        }
        Self { text, fields, end, id }
    }

    /// The field of a kind that counts: the first in the text.
    pub fn find(&self, kind: FieldKind) -> Option<&Field<'a>> {
        self.fields.iter().rfind(|field| field.kind == kind)
    }

    /// The value of a date. `None` if there is none, or no day of the calendar.
    pub fn date(&self, kind: FieldKind) -> Option<Date> {
        self.find(kind)?.value.parse().ok()
    }

    /// The text without its fields and its id.
    pub fn description(&self) -> String {
        let mut description = String::new();
        let mut at = 0;
        for field in self.fields.iter().rev() {
            description.push_str(&self.text[at..field.span.start]);
            at = field.span.end;
        }
        description.push_str(&self.text[at..self.end.max(at)]);
        description.trim().to_owned()
    }

    /// The priority in words: `highest`, `high`, `medium`, `low` or `lowest`.
    pub fn priority(&self) -> Option<&'a str> {
        Some(match self.find(FieldKind::Priority)?.value {
            "🔺" => "highest",
            "⏫" => "high",
            "🔼" => "medium",
            "🔽" => "low",
            "⏬" => "lowest",
            word => word,
        })
    }
}

/// The block id at the end of a task.
fn find_block_id(text: &str) -> Span {
    let trimmed = text.trim_end();
    let empty = Span::new(text.len(), text.len());
    let Some(at) = trimmed.rfind('^') else { return empty };
    let is_id = |id: &str| {
        !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let before = trimmed[..at].trim_end();
    if before.len() < at && is_id(&trimmed[at + 1..]) {
        Span::new(before.len(), text.len())
    } else {
        empty
    }
}

/// The text before a tag at its end.
fn without_tag(text: &str) -> Option<&str> {
    let at = text.rfind(char::is_whitespace)?;
    let word = text[at..].trim_start();
    (word.starts_with('#') && word.len() > 1).then(|| text[..at].trim_end())
}

/// The field at the end of a text, in the format of emoji.
fn find_sign(text: &str) -> Option<Field<'_>> {
    let kind_of = |c: char| SIGNS.iter().find(|(sign, _)| *sign == c).map(|(_, kind)| *kind);
    let at = text.rfind(|c| kind_of(c).is_some())?;
    let sign = text[at..].chars().next()?;
    let kind = kind_of(sign)?;
    let after = &text[at + sign.len_utf8()..];
    let value = after.strip_prefix('\u{FE0F}').unwrap_or(after).trim_start_matches(' ');
    let value_span = if kind == FieldKind::Priority {
        if !value.is_empty() {
            return None;
        }
        Span::new(at, at + sign.len_utf8())
    } else {
        Span::new(text.len() - value.len(), text.len())
    };
    to_field(text, kind, at, text.len(), value_span)
}

/// The field at the end of a text, in the format of Dataview.
fn find_key(text: &str) -> Option<Field<'_>> {
    let closed = text.strip_suffix(',').unwrap_or(text).trim_end();
    let open = match closed.chars().next_back()? {
        ']' => closed.rfind('[')?,
        ')' => closed.rfind('(')?,
        _ => return None,
    };
    let inside = Span::new(open + 1, closed.len() - 1);
    let (key, value) = inside.slice(text).split_once("::")?;
    let (_, kind) = KEYS.iter().find(|(name, _)| *name == key.trim())?;
    let value_span = Span::new(inside.end - value.len(), inside.end).trim(text);
    to_field(text, *kind, open, text.len(), value_span)
}

fn to_field(
    text: &str,
    kind: FieldKind,
    start: usize,
    end: usize,
    value_span: Span,
) -> Option<Field<'_>> {
    let value = value_span.slice(text);
    let start = text[..start].trim_end().len();
    let is_field = is_value(kind, value);
    is_field.then_some(Field { kind, value, span: Span::new(start, end), value_span })
}

fn is_value(kind: FieldKind, value: &str) -> bool {
    let all = |allowed: fn(u8) -> bool| !value.is_empty() && value.bytes().all(allowed);
    match kind {
        FieldKind::Priority => {
            let words = ["highest", "high", "medium", "low", "lowest"];
            words.contains(&value) || !value.is_ascii()
        }
        FieldKind::Created
        | FieldKind::Start
        | FieldKind::Scheduled
        | FieldKind::Due
        | FieldKind::Done
        | FieldKind::Cancelled => {
            let digit = |(at, byte): (usize, u8)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            };
            value.len() == 10 && value.bytes().enumerate().all(digit)
        }
        FieldKind::Recurrence => all(|byte| byte.is_ascii_alphanumeric() || b", !".contains(&byte)),
        FieldKind::OnCompletion => all(|byte| byte.is_ascii_alphabetic()),
        FieldKind::Id => all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
        FieldKind::DependsOn => all(|byte| byte.is_ascii_alphanumeric() || b"-_, ".contains(&byte)),
    }
}
