//! Items with boxes in the text of a note: acceptance criteria, and tasks as the plugin Tasks writes them.

use jiff::civil::Date;
use serde_json::Value as Json;
use toolwrit_vault::document::Document;

/// Something that must hold when an entity is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    pub text: String,
    /// Whether it is checked off.
    pub done: bool,
}

/// A task in the text of a note. It is never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineTask {
    /// Its line in the note, from 1.
    pub line: usize,
    /// Its text without signs.
    pub text: String,
    /// The character in its box: a space while it is open, `x` if it is done, `-` if it is cancelled.
    pub status: char,
    /// The day until which it must be done: 📅.
    pub due: Option<Date>,
    /// Its sign for urgency: 🔺, ⏫, 🔼, 🔽 or ⏬.
    pub priority: Option<char>,
    /// The name by which others depend on it: 🆔.
    pub id: Option<String>,
    /// The names of those that must be done before: ⛔.
    pub depends_on: Vec<String>,
}

impl InlineTask {
    /// Whether something is left to do.
    pub fn is_open(&self) -> bool {
        !matches!(self.status, 'x' | 'X' | '-')
    }
}

/// Signs for urgency.
const PRIORITIES: [char; 5] = ['🔺', '⏫', '🔼', '🔽', '⏬'];
/// Signs of the plugin Tasks that a value follows.
const SIGNS: [char; 11] = ['📅', '⏳', '🛫', '➕', '✅', '❌', '🔁', '🏁', '🆔', '⛔', '🗓'];

/// The criteria and the tasks in the text of a note.
pub(super) fn read_items(text: &str) -> (Vec<Criterion>, Vec<InlineTask>) {
    let (mut criteria, mut tasks) = (Vec::new(), Vec::new());
    if !text.contains("] ") {
        return (criteria, tasks);
    }
    let Ok(document) = Document::parse(text) else { return (criteria, tasks) };
    let section = criteria_section(&document);
    for item in &document.items {
        let Some(task) = item.task else { continue };
        let start = item.span.start;
        let body = task.text.slice(text).lines().next().unwrap_or_default();
        if section.is_some_and(|(from, to)| (from..to).contains(&start)) {
            let done = task.status != ' ';
            criteria.push(Criterion { text: criterion_text(body).to_owned(), done });
        } else {
            let line = text[..start].matches('\n').count() + 1;
            tasks.push(read_task(line, task.status, body));
        }
    }
    (criteria, tasks)
}

/// The start and the end of the text below the heading of the criteria.
fn criteria_section(document: &Document<'_>) -> Option<(usize, usize)> {
    let is_wanted = |heading: &str| {
        let heading = heading.trim().trim_end_matches(':');
        heading.eq_ignore_ascii_case("acceptance criteria")
    };
    let heading = document.headings.iter().find(|heading| is_wanted(heading.text))?;
    Some((heading.content.start, heading.content.end))
}

/// A criterion without its number: `#1 It works` as Backlog.md writes it.
fn criterion_text(text: &str) -> &str {
    let numbered = text.trim().strip_prefix('#').and_then(|rest| rest.split_once(' '));
    match numbered {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => rest.trim(),
        _ => text.trim(),
    }
}

fn read_task(line: usize, status: char, body: &str) -> InlineTask {
    let is_sign = |c: char| SIGNS.contains(&c) || PRIORITIES.contains(&c);
    let end = body.find(is_sign).unwrap_or(body.len());
    let mut task = InlineTask {
        line,
        text: body[..end].trim().to_owned(),
        status,
        due: None,
        priority: body.chars().find(|c| PRIORITIES.contains(c)),
        id: None,
        depends_on: Vec::new(),
    };
    let mut rest = &body[end..];
    while let Some(sign) = rest.chars().next() {
        let after = &rest[sign.len_utf8()..];
        let end = after.find(is_sign).unwrap_or(after.len());
        let value = after[..end].trim_start_matches('\u{FE0F}').trim();
        match sign {
            '📅' | '🗓' => {
                task.due = value.split_whitespace().next().and_then(|day| day.parse().ok());
            }
            '🆔' => task.id = Some(value.to_owned()).filter(|id| !id.is_empty()),
            '⛔' => {
                let names = value.split(',').map(|name| name.trim().to_owned());
                task.depends_on = names.filter(|name| !name.is_empty()).collect();
            }
            _ => {}
        }
        rest = &after[end..];
    }
    task
}

/// Parses what a note or a caller has as criteria: texts, or items with `text` and `done`.
pub(super) fn parse_criteria(value: &Json) -> Result<Vec<Criterion>, String> {
    let expected = "expected texts, or items such as {\"text\": \"It works\", \"done\": false}";
    let item = |value: &Json| {
        let (text, done) = match value {
            Json::String(text) => (text.as_str(), None),
            Json::Object(item) => {
                let text = item.get("text").and_then(Json::as_str);
                (text?, Some(item.get("done").is_some_and(|done| *done == Json::Bool(true))))
            }
            _ => return None,
        };
        let text = text.trim();
        let checked = text.strip_prefix("[x] ").or_else(|| text.strip_prefix("[X] "));
        let rest = checked.or_else(|| text.strip_prefix("[ ] ")).unwrap_or(text);
        let done = done.unwrap_or(checked.is_some());
        let text = criterion_text(rest).to_owned();
        let is_line = !text.is_empty() && !text.contains(['\n', '\r', '\0']);
        is_line.then_some(Criterion { text, done })
    };
    let items = match value {
        Json::Array(items) => items.as_slice(),
        value => std::slice::from_ref(value),
    };
    items.iter().map(item).collect::<Option<_>>().ok_or_else(|| expected.to_owned())
}

/// The text of a note with other criteria. What stays keeps its line.
pub(crate) fn write_criteria(text: &str, criteria: &[Criterion]) -> String {
    let Ok(document) = Document::parse(text) else { return text.to_owned() };
    let Some((from, to)) = criteria_section(&document) else {
        return add_section(text, criteria);
    };
    let mut known: Vec<KnownItem<'_>> = Vec::new();
    for item in &document.items {
        if let Some(task) = item.task.filter(|_| (from..to).contains(&item.span.start)) {
            let body = task.text.slice(text).lines().next().unwrap_or_default().trim();
            let start = line_start(text, item.span.start);
            known.push(KnownItem {
                criterion: criterion_text(body),
                is_numbered: criterion_text(body).len() < body.len(),
                before: &text[start..task.status_span.start],
                after: &text[task.status_span.end..line_end(text, item.span.end)],
                start,
            });
        }
    }
    let start = known.first().map_or_else(|| end_of_mark(text, from, to), |item| item.start);
    let end = known.last().map_or(start, |item| item.start + item.length());
    let is_numbered = !known.is_empty() && known.iter().all(|item| item.is_numbered);
    let mut lines = String::new();
    for (number, Criterion { text, done }) in (1..).zip(criteria) {
        let mark = if *done { 'x' } else { ' ' };
        let number = if is_numbered { format!("#{number} ") } else { String::new() };
        let line = match known.iter().find(|item| item.criterion == text) {
            Some(KnownItem { before, after, .. }) => format!("{before}{mark}{after}"),
            None => format!("- [{mark}] {number}{text}\n"),
        };
        lines.push_str(&line);
        if !lines.ends_with('\n') {
            lines.push('\n');
        }
    }
    let before = &text[..start];
    let is_beside = before.ends_with("\n\n") || before.ends_with("-->\n") || lines.is_empty();
    let gap = if known.is_empty() && !is_beside { "\n" } else { "" };
    format!("{before}{gap}{lines}{}", &text[end..])
}

/// An item with a box in the section of the criteria.
struct KnownItem<'t> {
    /// Its first line without its number.
    criterion: &'t str,
    is_numbered: bool,
    /// Its lines up to the character in the box, and behind it.
    before: &'t str,
    after: &'t str,
    /// Where its first line starts.
    start: usize,
}

impl KnownItem<'_> {
    fn length(&self) -> usize {
        self.before.len() + 1 + self.after.len()
    }
}

/// Where items are added to a section that has none: behind the mark of Backlog.md, or at its start.
fn end_of_mark(text: &str, from: usize, to: usize) -> usize {
    const MARK: &str = "<!-- AC:BEGIN -->\n";
    text[from..to].find(MARK).map_or(from, |at| from + at + MARK.len())
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
}

/// The text with a section of its own for criteria.
fn add_section(text: &str, criteria: &[Criterion]) -> String {
    if criteria.is_empty() {
        return text.to_owned();
    }
    let items = criteria.iter().map(|item| {
        let mark = if item.done { 'x' } else { ' ' };
        format!("- [{mark}] {}\n", item.text)
    });
    let items = items.collect::<Vec<_>>().concat();
    let text = text.trim_end_matches('\n');
    let gap = if text.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}## Acceptance criteria\n\n{items}")
}
