//! The placeholders of the core plugin Templates: `{{date}}`, `{{time}}`, `{{title}}`, with a format in
//! `{{date:YYYY}}` and `{{time:HH}}`.

use toolwrit_moment::Moment;

/// The formats of placeholders without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placeholders {
    pub(crate) date_format: String,
    pub(crate) time_format: String,
}

impl Default for Placeholders {
    fn default() -> Self {
        Self { date_format: "YYYY-MM-DD".to_owned(), time_format: "HH:mm".to_owned() }
    }
}

impl Placeholders {
    /// Replaces the placeholders in a text. Anything else in braces stays.
    pub(crate) fn fill(&self, text: &str, title: &str, at: &Moment) -> String {
        fill_with(text, |placeholder| self.value(placeholder, title, at))
    }

    fn value(&self, placeholder: &str, title: &str, at: &Moment) -> Option<String> {
        let (name, format) = match placeholder.split_once(':') {
            Some((name, format)) => (name, Some(format)),
            None => (placeholder, None),
        };
        match (name.trim().to_ascii_lowercase().as_str(), format) {
            ("title", None) => Some(title.to_owned()),
            ("date", format) => Some(at.format(format.unwrap_or(&self.date_format).trim())),
            ("time", format) => Some(at.format(format.unwrap_or(&self.time_format).trim())),
            _ => None,
        }
    }
}

/// Replaces what is in double braces by its value. What has none stays.
pub(crate) fn fill_with(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("{{") {
        let inside = &rest[open + 2..];
        let Some(close) = inside.find("}}") else { break };
        filled.push_str(&rest[..open]);
        if let Some(value) = value(&inside[..close]) {
            filled.push_str(&value);
            rest = &inside[close + 2..];
        } else {
            filled.push_str("{{");
            rest = inside;
        }
    }
    filled.push_str(rest);
    filled
}
