//! Answers of operations.

use crate::conversion::body::is_json;
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

/// The answer of a success, and the response that describes it.
pub(crate) fn convert_answer<'a>(
    operation: &Node<'a>,
    hint: &str,
    types: &mut Types,
    losses: &mut Losses,
) -> (Answer, Option<Node<'a>>) {
    let Some(response) = find_success(operation) else { return (Answer::Nothing, None) };
    let Some(content) =
        response.raw("content").filter(|content| content.entries().next().is_some())
    else {
        return (Answer::Nothing, Some(response));
    };
    let json = content.entries().find(|(name, _)| is_json(name) || name.trim() == "*/*");
    let answer = if let Some((_, media)) = json {
        let schema = media.resolve().and_then(|media| media.raw("schema"));
        let hint = format!("{}Result", to_camel_case(hint));
        let shape =
            schema.map(|schema| types.read_shape(&schema, Direction::Received, &hint, losses));
        Answer::Value(shape.unwrap_or(Shape::Json))
    } else if content.entries().any(|(name, _)| name.starts_with("text/")) {
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
    (answer, Some(response))
}

/// The response of a success: the first with JSON, or else the first.
fn find_success<'a>(operation: &Node<'a>) -> Option<Node<'a>> {
    let responses = operation.raw("responses")?;
    let mut found: Vec<(&str, Node<'a>)> = responses
        .entries()
        .filter(|(status, _)| status.starts_with('2'))
        .filter_map(|(status, response)| Some((status, response.resolve()?)))
        .collect();
    found.sort_by_key(|(status, _)| *status);
    if found.is_empty() {
        // Without another answer, it describes the success, too.
        return responses.get("default");
    }
    let has_json = |response: &Node<'a>| {
        response
            .raw("content")
            .is_some_and(|content| content.entries().any(|(name, _)| is_json(name)))
    };
    let at = found.iter().position(|(_, response)| has_json(response)).unwrap_or_default();
    Some(found.swap_remove(at).1)
}
