//! Words of identifiers and prose, stemmed, as the ranking sees them.

use rust_stemmers::{Algorithm, Stemmer};

/// Too common in questions to tell operations apart. API verbs (get, list, create) are not here.
const STOP_WORDS: [&str; 62] = [
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "like", "me", "my", "of", "on", "or", "our", "please", "shall", "should",
    "so", "some", "that", "the", "their", "them", "then", "there", "these", "this", "those", "to",
    "us", "want", "was", "we", "what", "which", "will", "with", "you",
];

/// Stems of a text: `camelCase` and `ACRONYMWord` split, lower case, stop words gone. Digits run
/// together; each CJK character stands alone.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    words(text)
        .into_iter()
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stemmer.stem(&word).into_owned())
        .collect()
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Ideograph,
    Gap,
}

fn kind(c: char) -> Kind {
    match c {
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => {
            Kind::Ideograph
        }
        c if c.is_numeric() => Kind::Digit,
        c if c.is_uppercase() => Kind::Upper,
        c if c.is_alphabetic() => Kind::Lower,
        _ => Kind::Gap,
    }
}

fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = Kind::Gap;
    for (at, &c) in chars.iter().enumerate() {
        let here = kind(c);
        let next = chars.get(at + 1).map_or(Kind::Gap, |&c| kind(c));
        let starts = match (before, here) {
            (_, Kind::Gap | Kind::Ideograph) | (Kind::Lower, Kind::Upper) => true,
            // The last capital of an acronym begins the next word: HTTPServer.
            (Kind::Upper, Kind::Upper) => next == Kind::Lower,
            (Kind::Upper, Kind::Lower) => false,
            (before, here) => before != here,
        };
        if starts && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if here != Kind::Gap {
            word.extend(c.to_lowercase());
        }
        before = here;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{stems, words};

    #[test]
    fn splits_identifiers_acronyms_digits_and_ideographs() {
        assert_eq!(words("getHTTPServer_v2"), ["get", "http", "server", "v", "2"]);
        assert_eq!(words("日本 notes"), ["日", "本", "notes"]);
    }

    #[test]
    fn stems_drop_stop_words_and_keep_verbs() {
        assert_eq!(stems("show me the meetings I listed"), ["show", "meet", "list"]);
        assert!(stems("what is it").is_empty());
    }
}
