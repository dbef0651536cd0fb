//! How people may ask for an operation, and the texts that describe it.

use crate::document::endpoint::Endpoint;
use crate::language::text::{self, Summary};
use crate::losses::{Kind, Losses};

/// The summary of an operation, and a description that says more.
pub(crate) fn describe_endpoint(
    endpoint: &Endpoint<'_>,
    words: &[String],
    losses: &mut Losses,
) -> (Summary, Option<String>) {
    const LONGEST_DESCRIPTION: usize = 300;
    let description = endpoint.node.text("description");
    let summary = endpoint.node.text("summary").and_then(text::summarize);
    let summary = summary.or_else(|| description.and_then(text::summarize));
    let summary = summary.or_else(|| text::summarize(&words.join(" ")));
    let summary = summary.unwrap_or(Summary { text: "Call the API.".to_owned(), is_cut: false });
    if description.is_some_and(|text| text::is_longer(text, LONGEST_DESCRIPTION)) {
        losses.add(Kind::Text, &endpoint.node.location(), text::SHORTENED);
    }
    let description =
        description.and_then(|text| text::shorten_description(text, LONGEST_DESCRIPTION));
    let same = summary.text.trim_end_matches(['.', '…']).to_lowercase();
    let more = description
        .filter(|text| text.trim_end_matches('.').to_lowercase() != same || summary.is_cut);
    (summary, more)
}

/// Requests in other words than the summary's: from the name, with another verb.
pub(crate) fn derive_asks(summary: &str, words: &[String]) -> Vec<String> {
    const MOST_WORDS: usize = 9;
    let mut asks: Vec<String> = Vec::new();
    let mut add = |ask: String| {
        if !ask.is_empty() && !asks.contains(&ask) {
            asks.push(ask);
        }
    };
    let (verb, object) =
        words.split_first().map_or(("", &[][..]), |(verb, rest)| (verb.as_str(), rest));
    let object: Vec<&str> = object.iter().take(MOST_WORDS).map(String::as_str).collect();
    let object = object.join(" ");
    if !matches!(object.as_str(), "" | "me" | "myself" | "self") {
        let other = match verb {
            "get" | "read" | "fetch" | "show" | "retrieve" | "describe" => {
                format!("show me the {object}")
            }
            "list" | "find" | "search" | "query" => format!("which {object} are there"),
            "create" | "add" | "post" | "insert" | "new" => format!("add a new {object}"),
            "update" | "edit" | "put" | "patch" | "set" | "modify" => {
                format!("change the {object}")
            }
            "delete" | "remove" | "destroy" => format!("get rid of the {object}"),
            _ => format!("{verb} {object}"),
        };
        add(other);
    }
    let plain = summary.trim_end_matches(['.', '…', '!', '?']);
    let mut plain: Vec<String> = plain.split(' ').take(MOST_WORDS).map(str::to_owned).collect();
    if let Some(first) =
        plain.first_mut().filter(|first| first.chars().skip(1).all(char::is_lowercase))
    {
        *first = first.to_lowercase();
    }
    add(plain.join(" "));
    asks
}
