//! Texts for people and models, within the limits of the manifest language.

use std::sync::LazyLock;

use regex::Regex;
use toolwrit_text::hidden::is_hidden;

const MOST_OF_SUMMARY: usize = 100;

#[expect(clippy::expect_used, reason = "constant expressions, compiled by every test")]
fn expression(text: &str) -> Regex {
    Regex::new(text).expect("a valid expression")
}

static TAG: LazyLock<Regex> = LazyLock::new(|| expression(r"</?[A-Za-z][^<>]{0,200}>"));
static LINK: LazyLock<Regex> =
    LazyLock::new(|| expression(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)"));

/// Whether every character of a text can be seen.
pub(crate) fn is_visible(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() || is_hidden(c))
}

/// A text on one line, without markup.
pub(crate) fn to_plain_text(text: &str) -> String {
    let start: String = text.chars().take(4_000).collect();
    let text = TAG.replace_all(&start, " ");
    let text = LINK.replace_all(&text, "$1");
    let text = text.replace("**", "").replace(['\n', '\r', '\t'], " ");
    let visible: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    let words: Vec<&str> = visible
        .split_whitespace()
        .filter(|word| !word.chars().all(|c| matches!(c, '#' | '*' | '-' | '=' | '_' | '>')))
        .collect();
    words.join(" ")
}

/// One sentence of at most 100 characters; `None` if nothing is left.
pub(crate) fn summarize(text: &str) -> Option<Summary> {
    let text = to_plain_text(text);
    let sentence = &text[..sentence_length(&text)];
    let sentence = sentence.trim_end_matches(['.', ' ', ':', ';', ',']).trim();
    if !sentence.contains(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let short = cut_at_word(sentence, MOST_OF_SUMMARY - 1);
    let is_cut = short.len() < sentence.len();
    let end = if short.ends_with(['!', '?', '.', '…']) { "" } else { "." };
    let mut text = format!("{short}{end}");
    if let Some(first) = text.chars().next().filter(char::is_ascii_lowercase) {
        text.replace_range(..1, &first.to_ascii_uppercase().to_string());
    }
    // A capital letter or an abbreviation may have changed where sentences end.
    let end = sentence_length(&text);
    text.truncate(end);
    Some(Summary { text: text.trim_end().to_owned(), is_cut })
}

/// A summary, and whether it lacks the end of its sentence.
pub(crate) struct Summary {
    pub(crate) text: String,
    pub(crate) is_cut: bool,
}

/// What is lost of a text that is too long.
pub(crate) const SHORTENED: &str = "the description is shortened";

/// Whether a text is longer than this without markup.
pub(crate) fn is_longer(text: &str, most: usize) -> bool {
    to_plain_text(text).chars().count() > most
}

/// The text up to a length, to the end of a sentence or a word.
pub(crate) fn shorten_description(text: &str, most: usize) -> Option<String> {
    let text = to_plain_text(text);
    if !text.contains(|c: char| c.is_alphanumeric()) {
        return None;
    }
    if text.chars().count() <= most {
        return Some(text);
    }
    let mut kept = 0;
    while kept < text.len() {
        let next = kept + sentence_length(&text[kept..]);
        if next == kept || text[..next].chars().count() > most {
            break;
        }
        kept = next;
    }
    if kept > 0 { Some(text[..kept].trim_end().to_owned()) } else { Some(cut_at_word(&text, most)) }
}

/// Cuts at the end of a word, with `…`.
fn cut_at_word(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let head: String = text[..end].chars().take(most - 1).collect();
    let kept = match head.rfind(' ') {
        Some(space) if space > head.len() / 2 => &head[..space],
        _ => &head,
    };
    format!("{}…", kept.trim_end_matches([',', ';', ':', ' ', '(', '.']))
}

/// The length of the first sentence: up to a mark, a space and a capital letter, except after abbreviations.
fn sentence_length(text: &str) -> usize {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let word = text[..*at].rsplit(' ').next().unwrap_or_default();
        let is_abbreviated =
            *mark == "." && (word.contains('.') || matches!(word, "vs" | "etc" | "cf"));
        let next = rest.trim_start().chars().next();
        rest.starts_with(' ') && !is_abbreviated && next.is_some_and(char::is_uppercase)
    });
    ends.map_or(text.len(), |(at, mark)| at + mark.len())
}
