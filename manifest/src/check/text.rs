//! Text for people and models.

use crate::diagnostics::{Problem, Report};
use crate::injection::orders;
use crate::yaml::Text;
use toolwrit_text::capitalise;

const MAX_SUMMARY: usize = 100;
const MAX_DESCRIPTION: usize = 1024;

/// A summary: one sentence on one line.
pub(super) fn summary(text: Option<&Text>, report: &mut Report) -> String {
    let Some(text) = text else { return String::new() };
    let value = text.value.trim();
    let length = value.chars().count();
    let problem = |message: String| {
        Problem::error(text.place, message)
            .expected(format!("one sentence of at most {MAX_SUMMARY} characters"))
    };
    if value.is_empty() {
        report.push(problem("the summary is empty".to_owned()));
    } else if value.contains('\n') {
        report.push(problem("the summary has a line break".to_owned()));
    } else if length > MAX_SUMMARY {
        report.push(
            problem(format!("the summary has {length} characters"))
                .help("put longer text into `description`"),
        );
    } else if has_second_sentence(value) {
        report.push(
            problem("the summary has more than one sentence".to_owned())
                .help("put further sentences into `description`"),
        );
    }
    orders::check("the summary", value, text.place, report);
    value.to_owned()
}

/// A full stop, a space and a capital letter, except after abbreviations such as `e.g.`.
fn has_second_sentence(text: &str) -> bool {
    text.match_indices(['.', '!', '?']).any(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let word = text[..at].rsplit(' ').next().unwrap_or_default();
        let abbreviated =
            mark == "." && (word.contains('.') || matches!(word, "vs" | "etc" | "cf"));
        rest.starts_with(' ')
            && !abbreviated
            && rest.trim_start().chars().next().is_some_and(char::is_uppercase)
    })
}

/// A summary that may be absent.
pub(super) fn optional_summary(text: Option<&Text>, report: &mut Report) -> Option<String> {
    text.map(|text| summary(Some(text), report))
}

/// A description, or another longer text that models receive with every `tools/list`.
pub(super) fn description(text: Option<&Text>, report: &mut Report) -> Option<String> {
    let text = text?;
    let value = text.value.trim_end();
    let length = value.chars().count();
    if length > MAX_DESCRIPTION {
        report.push(
            Problem::error(text.place, format!("the description has {length} characters"))
                .expected(format!("at most {MAX_DESCRIPTION}")),
        );
    }
    orders::check("the description", value, text.place, report);
    Some(value.to_owned())
}

/// Text of any length that is not empty.
pub(super) fn non_empty(what: &str, text: &Text, report: &mut Report) -> String {
    if text.value.trim().is_empty() {
        report.push(Problem::error(text.place, format!("{what} is empty")));
    }
    text.value.clone()
}

/// The same for text that may be absent.
pub(super) fn optional(what: &str, text: Option<&Text>, report: &mut Report) -> Option<String> {
    text.map(|text| non_empty(what, text, report))
}

/// Words that are not empty and all different.
pub(super) fn words(what: &str, texts: Option<&Vec<Text>>, report: &mut Report) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for text in texts.into_iter().flatten() {
        let word = non_empty(what, text, report);
        if words.contains(&word) {
            report.push(Problem::error(text.place, format!("{what} `{word}` is given twice")));
        } else {
            words.push(word);
        }
    }
    words
}

/// A title, or the name with a capital letter.
pub(super) fn title(name: &str, title: Option<&Text>, report: &mut Report) -> String {
    optional("the title", title, report)
        .unwrap_or_else(|| capitalise(&name.replace(['_', '-'], " ")))
}
