//! Media types of bodies and answers.

/// How a body of a media type is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Media {
    Json,
    Form,
    Multipart,
    Text,
    Bytes,
}

impl Media {
    pub(crate) fn of(name: &str) -> Self {
        let name = bare(name);
        if is_json(&name) || name == "*/*" {
            Self::Json
        } else if name == "application/x-www-form-urlencoded" {
            Self::Form
        } else if name.starts_with("multipart/") {
            Self::Multipart
        } else if is_text(&name) {
            Self::Text
        } else {
            Self::Bytes
        }
    }
}

/// A media type without its parameters, in lower case.
pub(crate) fn bare(name: &str) -> String {
    name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type is JSON.
pub(crate) fn is_json(name: &str) -> bool {
    let name = bare(name);
    matches!(name.as_str(), "application/json" | "application/*" | "text/json")
        || name.ends_with("+json")
}

/// Whether values of a media type are text that a caller can write.
fn is_text(name: &str) -> bool {
    const SUBTYPES: [&str; 14] = [
        "xml",
        "yaml",
        "x-yaml",
        "toml",
        "graphql",
        "sql",
        "csv",
        "javascript",
        "ndjson",
        "x-ndjson",
        "jsonl",
        "x-jsonlines",
        "json-seq",
        "jwt",
    ];
    let Some((ty, subtype)) = name.split_once('/') else { return false };
    ty == "text"
        || (ty == "application" && SUBTYPES.contains(&subtype))
        || subtype.ends_with("+xml")
        || subtype.ends_with("+yaml")
}

/// Which of several media types is the best, the smallest first: the plain one before those of a format.
pub(crate) fn rank(name: &str) -> u8 {
    match bare(name).as_str() {
        "application/json" | "text/plain" | "multipart/form-data" => 0,
        "application/merge-patch+json" | "application/xml" => 1,
        // A list of changes is harder to write than the changed values.
        "application/json-patch+json" => 3,
        name if name.contains('*') => 4,
        _ => 2,
    }
}

/// The media type as a header has it; `None` for a range, or for what is none.
pub(crate) fn header_value(name: &str) -> Option<&str> {
    const LONGEST: usize = 100;
    let name = name.trim();
    let is_token = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-._".contains(c))
    };
    let (ty, parameters) = name.split_once(';').unwrap_or((name, "x=y"));
    let (ty, subtype) = ty.trim_end().split_once('/')?;
    let is_visible = parameters.chars().all(|c| c.is_ascii_graphic() || c == ' ');
    let fits = is_token(ty) && is_token(subtype) && is_visible && parameters.contains('=');
    (fits && name.len() <= LONGEST).then_some(name)
}
