//! Shortens texts to the limits of the language.

use crate::losses::{Loss, Losses};
use crate::tools::Tool;

const MAX_SUMMARY: usize = 100;
const MAX_DESCRIPTION: usize = 1024;

/// Splits a tool's description into the summary and the description of an operation: its first sentence and
/// the rest. A first sentence that is too long stays in the rest, and the title becomes the summary.
pub(crate) fn summary(tool: &Tool, losses: &mut Losses) -> (String, Option<String>) {
    let text = tool.description.trim();
    let end = end_of_sentence(text);
    let fits = |text: &str| !text.is_empty() && text.chars().count() <= MAX_SUMMARY;
    let title = tool.title().map(|title| &title[..end_of_sentence(title)]);
    let (summary, rest) = match (&text[..end], title) {
        (sentence, _) if fits(sentence) => {
            if title.is_some() {
                losses.add(Loss::Title, &tool.name);
            }
            (sentence, &text[end..])
        }
        (_, Some(title)) if !title.trim().is_empty() => (title, text),
        ("", _) => (tool.name.as_str(), text),
        (sentence, _) => (sentence, text),
    };
    let rest = rest.trim();
    let rest = (!rest.is_empty()).then(|| description(rest, &tool.name, losses));
    (cut(summary.trim(), MAX_SUMMARY), rest)
}

/// Shortens a description.
pub(crate) fn description(text: &str, place: &str, losses: &mut Losses) -> String {
    let text = text.trim();
    if text.chars().count() > MAX_DESCRIPTION {
        losses.add(Loss::Text, place);
    }
    cut(text, MAX_DESCRIPTION)
}

/// The end of the first sentence, in bytes.
fn end_of_sentence(text: &str) -> usize {
    let line = text.find('\n').unwrap_or(text.len());
    let ends = text[..line].match_indices(". ").map(|(at, _)| at + 1);
    let is_followed = |at: &usize| {
        text[*at..].trim_start().chars().next().is_some_and(|letter| !letter.is_lowercase())
    };
    ends.into_iter().find(is_followed).unwrap_or(line)
}

/// Cuts a text at a word.
fn cut(text: &str, length: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(length) else { return text.to_owned() };
    let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    text[..end].trim_end().to_owned()
}
