//! Sentences from the words of errors, which begin with a small letter and have no full stop.

/// Returns a text whose first letter is a capital.
pub fn capitalise(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    let mut capitalised: String = first.collect();
    capitalised.push_str(rest.as_str());
    capitalised
}

/// Returns a text as a sentence: with a capital, and with a full stop unless it ends with one or asks.
pub fn to_sentence(text: &str) -> String {
    let mut sentence = capitalise(text);
    if !sentence.ends_with(['.', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::{capitalise, to_sentence};

    #[test]
    fn only_the_first_letter_is_changed() {
        for (text, capitalised) in [
            ("", ""),
            ("a", "A"),
            ("no such note", "No such note"),
            ("URL", "URL"),
            ("été", "Été"),
            ("ßa", "SSa"),
            ("`a` is b", "`a` is b"),
            ("1 note", "1 note"),
        ] {
            assert_eq!(capitalise(text), capitalised);
        }
    }

    #[test]
    fn a_sentence_has_one_end() {
        assert_eq!(to_sentence("no such note"), "No such note.");
        assert_eq!(to_sentence("No such note."), "No such note.");
        assert_eq!(to_sentence("did you mean `a`?"), "Did you mean `a`?");
    }
}
