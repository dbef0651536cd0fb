//! YAML as people write it: short values on one line, and a comment behind what must be reviewed.

use serde_json::Value;
use toolwrit_text::yaml::double_quote;

/// Lines are broken where they would be longer.
const WIDTH: usize = 110;

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Yaml {
    Text(String),
    /// A number, a boolean or null.
    Plain(String),
    List(Vec<Yaml>),
    Mapping(Mapping),
}

/// Entries in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mapping {
    entries: Vec<Entry>,
    is_block: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    key: String,
    value: Yaml,
    review: Option<String>,
}

impl Mapping {
    /// Entries that are always on lines of their own.
    pub(crate) fn block() -> Self {
        Self { is_block: true, ..Self::default() }
    }

    pub(crate) fn add(&mut self, key: impl Into<String>, value: impl Into<Yaml>) {
        self.entries.push(Entry { key: key.into(), value: value.into(), review: None });
    }

    /// An entry that was guessed.
    pub(crate) fn guess(&mut self, key: impl Into<String>, value: impl Into<Yaml>, why: &str) {
        let review = Some(why.to_owned());
        self.entries.push(Entry { key: key.into(), value: value.into(), review });
    }

    /// An entry that was guessed if there is a reason to review it.
    pub(crate) fn maybe_guess(&mut self, key: &str, value: impl Into<Yaml>, why: Option<&str>) {
        match why {
            Some(why) => self.guess(key, value, why),
            None => self.add(key, value),
        }
    }

    /// Whether a key is there, optional or not.
    pub(crate) fn has(&self, key: &str) -> bool {
        let name = key.strip_suffix('?').unwrap_or(key);
        self.entries.iter().any(|entry| entry.key.strip_suffix('?').unwrap_or(&entry.key) == name)
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.entries.extend(other.entries);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The document.
    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        write_entries(&mut out, self, 0);
        out
    }
}

impl From<&str> for Yaml {
    fn from(text: &str) -> Self {
        Yaml::Text(text.to_owned())
    }
}

impl From<String> for Yaml {
    fn from(text: String) -> Self {
        Yaml::Text(text)
    }
}

impl From<bool> for Yaml {
    fn from(flag: bool) -> Self {
        Yaml::Plain(flag.to_string())
    }
}

impl From<u64> for Yaml {
    fn from(number: u64) -> Self {
        Yaml::Plain(number.to_string())
    }
}

impl From<Mapping> for Yaml {
    fn from(mapping: Mapping) -> Self {
        Yaml::Mapping(mapping)
    }
}

impl From<Vec<Yaml>> for Yaml {
    fn from(items: Vec<Yaml>) -> Self {
        Yaml::List(items)
    }
}

impl From<&Value> for Yaml {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Yaml::Text(text.clone()),
            Value::Array(items) => Yaml::List(items.iter().map(Yaml::from).collect()),
            Value::Object(members) => {
                let mut mapping = Mapping::default();
                members.iter().for_each(|(key, value)| mapping.add(key.as_str(), value));
                Yaml::Mapping(mapping)
            }
            scalar => Yaml::Plain(scalar.to_string()),
        }
    }
}

fn write_entries(out: &mut String, mapping: &Mapping, indent: usize) {
    for Entry { key, value, review } in &mapping.entries {
        out.push_str(&" ".repeat(indent));
        write_entry(out, key, value, review.as_deref(), indent);
    }
}

fn write_entry(out: &mut String, key: &str, value: &Yaml, review: Option<&str>, indent: usize) {
    let key = quote_scalar(key, true);
    out.push_str(&key);
    out.push(':');
    let comment = review.map(|why| format!("  # review: {why}")).unwrap_or_default();
    if let Some(line) = inline_value(value, indent + key.len() + 2) {
        out.push(' ');
        out.push_str(&line);
        out.push_str(&comment);
        out.push('\n');
    } else {
        out.push_str(&comment);
        out.push('\n');
        write_block(out, value, indent + 2);
    }
}

fn write_block(out: &mut String, value: &Yaml, indent: usize) {
    match value {
        Yaml::Mapping(mapping) => write_entries(out, mapping, indent),
        Yaml::List(items) => {
            for item in items {
                out.push_str(&" ".repeat(indent));
                out.push_str("- ");
                write_item(out, item, indent);
            }
        }
        Yaml::Text(_) | Yaml::Plain(_) => {}
    }
}

fn write_item(out: &mut String, item: &Yaml, indent: usize) {
    match (inline_value(item, indent + 2), item) {
        (Some(line), _) => {
            out.push_str(&line);
            out.push('\n');
        }
        (None, Yaml::Mapping(mapping)) => {
            for (at, Entry { key, value, review }) in mapping.entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(&" ".repeat(indent + 2));
                }
                write_entry(out, key, value, review.as_deref(), indent + 2);
            }
        }
        (None, _) => {
            out.push('\n');
            write_block(out, item, indent + 2);
        }
    }
}

/// The value on one line, if it may and fits there.
fn inline_value(value: &Yaml, column: usize) -> Option<String> {
    match value {
        Yaml::Text(text) => Some(quote_scalar(text, false)),
        Yaml::Plain(text) => Some(text.clone()),
        Yaml::List(items) if items.is_empty() => Some("[]".to_owned()),
        Yaml::Mapping(mapping) if mapping.is_empty() => Some("{}".to_owned()),
        _ => {
            let line = flow_value(value)?;
            (column + line.chars().count() <= WIDTH).then_some(line)
        }
    }
}

fn flow_value(value: &Yaml) -> Option<String> {
    Some(match value {
        Yaml::Text(text) => quote_scalar(text, true),
        Yaml::Plain(text) => text.clone(),
        Yaml::List(items) => {
            let items: Vec<String> = items.iter().map(flow_value).collect::<Option<_>>()?;
            format!("[{}]", items.join(", "))
        }
        Yaml::Mapping(mapping) if mapping.is_empty() => "{}".to_owned(),
        Yaml::Mapping(Mapping { is_block: true, .. }) => return None,
        Yaml::Mapping(Mapping { entries, .. }) => {
            let entry = |entry: &Entry| match entry.review {
                Some(_) => None,
                None => Some(format!(
                    "{}: {}",
                    quote_scalar(&entry.key, true),
                    flow_value(&entry.value)?
                )),
            };
            let entries: Vec<String> = entries.iter().map(entry).collect::<Option<_>>()?;
            format!("{{ {} }}", entries.join(", "))
        }
    })
}

/// A text, in quotes if it needs them. More texts are quoted than YAML asks for: a reader of the manifest need not know
/// its rules.
fn quote_scalar(text: &str, in_flow: bool) -> String {
    const OTHER: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    let begins =
        text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '/'));
    let is_plain = |c: char| {
        c.is_alphanumeric() || "_-./$ ?".contains(c) || (!in_flow && ",()'!;+=%*<>|…".contains(c))
    };
    let is_word = OTHER.iter().any(|word| text.eq_ignore_ascii_case(word));
    if begins && !is_word && !text.ends_with(' ') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    double_quote(text)
}
