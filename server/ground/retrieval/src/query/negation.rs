//! What a query says that it does not want.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// A clause that denies: at the start, behind a comma, or behind `without`, `instead of` and the like. It ends with a
/// comma or stop. Behind a subject a negation denies nothing: who does not need a page wishes to delete it.
static DENIED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let at_start = r"^(?:please )?(?:do not|don't|dont|never mind|never|not)\b[^,;.]*[,;]\s*(?:but |only |just |please |rather )*";
    let after_comma = r"[,;]\s*(?:but )?(?:do not|don't|never|not)\b[^,;.]*";
    let contrast = r"\s(?:but (?:do not|don't|not)|without|instead of|rather than)\b[^,;.]*";
    Regex::new(&format!("(?i){at_start}|{after_comma}|{contrast}")).ok()
});

/// The text without what it denies; the whole text if hardly anything else is left.
pub(super) fn without_denied(text: &str) -> Cow<'_, str> {
    let text = if text.contains('’') {
        Cow::Owned(text.replace('’', "'"))
    } else {
        Cow::Borrowed(text)
    };
    let Some(denied) = DENIED.as_ref() else { return text };
    if !denied.is_match(&text) {
        return text;
    }
    let rest = denied.replace_all(&text, " ");
    let rest = rest.trim();
    if rest.split_whitespace().nth(1).is_some() { Cow::Owned(rest.to_owned()) } else { text }
}
