//! Answers of operations.

use crate::conversion::media::{self, Media};
use crate::conversion::types::{Direction, Types};
use crate::document::node::Node;
use crate::language::names::to_camel_case;
use crate::language::shape::Shape;
use crate::losses::{Kind, Losses};

/// What an operation answers.
pub(crate) enum Answer {
    /// Nothing that a caller needs.
    Nothing,
    /// The whole answer is a text.
    Text,
    Value(Shape),
}

/// Statuses of answers without content, whatever a document says: RFC 9110, sections 15.3.5 and 15.3.6.
const EMPTY: [&str; 2] = ["204", "205"];

/// The answer of an operation.
pub(crate) struct Answered<'a> {
    pub(crate) answer: Answer,
    /// The response that describes it.
    pub(crate) response: Option<Node<'a>>,
    /// The media type to ask for, if the API has another one than the usual.
    pub(crate) accept: Option<String>,
}

/// The answer of a success.
pub(crate) fn convert_answer<'a>(
    operation: &Node<'a>,
    hint: &str,
    types: &mut Types,
    losses: &mut Losses,
) -> Answered<'a> {
    let nothing = |response| Answered { answer: Answer::Nothing, response, accept: None };
    let Some((status, response)) = find_success(operation) else { return nothing(None) };
    let content = response.raw("content").filter(|content| content.entries().next().is_some());
    let Some(content) = content.filter(|_| !EMPTY.contains(&status)) else {
        return nothing(Some(response));
    };
    let best = |is_wanted: &dyn Fn(&str) -> bool| {
        let mut fitting: Vec<_> = content.entries().filter(|(name, _)| is_wanted(name)).collect();
        fitting.sort_by_key(|(name, _)| media::rank(name));
        fitting.into_iter().next()
    };
    let json = best(&|name| matches!(Media::of(name), Media::Json));
    let text = best(&|name| matches!(Media::of(name), Media::Text));
    let asked = json.as_ref().or(text.as_ref()).map(|(name, _)| *name);
    let is_usual = |name: &&str| matches!(media::bare(name).as_str(), "application/json");
    let accept = asked.filter(|name| !is_usual(name)).and_then(media::header_value);
    let accept = accept.map(str::to_owned);
    let answer = if let Some((_, media)) = json {
        let schema = media.resolve().and_then(|media| media.raw("schema"));
        let hint = format!("{}Result", to_camel_case(hint));
        let shape =
            schema.map(|schema| types.read_shape(&schema, Direction::Received, &hint, losses));
        Answer::Value(shape.unwrap_or(Shape::Json))
    } else if text.is_some() {
        Answer::Text
    } else {
        let names: Vec<String> = content
            .entries()
            .take(3)
            .map(|(name, _)| crate::language::text::to_plain_text(name))
            .collect();
        let message = format!("an answer of the type {} is not read", names.join(", "));
        losses.add(Kind::Result, &response.location(), message);
        Answer::Nothing
    };
    Answered { answer, response: Some(response), accept }
}

/// The response of a success, with its status: the first with JSON that has content, or else the first.
fn find_success<'a>(operation: &Node<'a>) -> Option<(&'a str, Node<'a>)> {
    let responses = operation.raw("responses")?;
    let mut found: Vec<(&str, Node<'a>)> = responses
        .entries()
        .filter(|(status, _)| status.starts_with('2'))
        .filter_map(|(status, response)| Some((status, response.resolve()?)))
        .collect();
    found.sort_by_key(|(status, _)| *status);
    if found.is_empty() {
        // Without another answer, it describes the success, too.
        return responses.get("default").map(|response| ("default", response));
    }
    let has_json = |(status, response): &(&str, Node<'a>)| {
        let content = response.raw("content").filter(|_| !EMPTY.contains(status));
        content.is_some_and(|content| content.entries().any(|(name, _)| media::is_json(name)))
    };
    let at = found.iter().position(has_json).unwrap_or_default();
    Some(found.swap_remove(at))
}
