//! Keys and numbers of things in a text.

use std::borrow::Cow;

/// The text without the keys and numbers of things, such as `PROJ-123` and `42`: they say which thing is meant, not
/// what is done with it. A text that has nothing else stays.
pub(crate) fn without_references(text: &str) -> Cow<'_, str> {
    let others: Vec<&str> = text.split_whitespace().filter(|token| !is_reference(token)).collect();
    if others.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(others.join(" ")) }
}

fn is_reference(token: &str) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    let token = token.strip_suffix("'s").unwrap_or(token);
    let (key, number) = token.rsplit_once('-').unwrap_or(("", token));
    let is_key = key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    is_key && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit())
}
