//! Unions, which the language does not have.

use super::expression::SpannedWord;

/// Names of types in other languages. They are not built in.
const FOREIGN: [&str; 4] = ["null", "any", "object", "array"];

/// Whether a word of a union is the name of a type in other languages.
pub(super) fn is_foreign(word: &SpannedWord) -> bool {
    FOREIGN.contains(&&*word.text)
}

/// What to write in place of a union of these types.
pub(super) fn instead(words: &[SpannedWord]) -> String {
    let others: Vec<&SpannedWord> = words.iter().filter(|word| word.text != "null").collect();
    match others[..] {
        [only] if others.len() < words.len() && !is_foreign(only) => format!(
            "a value that may be absent has `?` after its name, and one type: `\"name?\": {}`",
            only.text
        ),
        _ => "some clients fail on unions of types; use one type, or `json`".to_owned(),
    }
}
