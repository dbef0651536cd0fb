//! The English words by which queries are read, from `model/english.txt`.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};
use regex::Regex;

/// The words of the data file, by kind.
static KINDS: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let lines = include_str!("../model/english.txt").lines();
    let kinds = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(':'));
    kinds.map(|(kind, words)| (kind, words.split(',').map(str::trim).collect())).collect()
});

/// A kind of word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A verb that is also a noun.
    Noun,
    /// Before the first verb of a sentence.
    Opening,
    Negation,
    Preposition,
    /// Qualifies an object, and is none.
    Qualifier,
    /// Before a topic.
    Topic,
    /// A further verb of messages.
    Action,
    /// At the beginning of a question.
    Question,
    /// At the beginning of a statement.
    Statement,
}

/// What begins as a greeting or thanks asks for something only if the rest clearly does.
static GREETING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let greetings = r"hello|hi|hey|thanks?|thank you|good (morning|evening|afternoon|night|day|job)|nice (work|to meet)|well done|how are you|who are you|you are|you're|see you|ok(ay)?|sorry|bye|goodbye";
    Regex::new(&format!(r"(?i)^\W*({greetings})\b")).ok()
});

/// Whether a text begins as a greeting.
pub(crate) fn is_greeting(text: &str) -> bool {
    GREETING.as_ref().is_some_and(|greeting| greeting.is_match(text))
}

impl Kind {
    /// Whether a word in lower case is of this kind.
    pub(crate) fn has(self, word: &str) -> bool {
        let name = match self {
            Kind::Noun => "noun",
            Kind::Opening => "opening",
            Kind::Negation => "negation",
            Kind::Preposition => "preposition",
            Kind::Qualifier => "qualifier",
            Kind::Topic => "topic",
            Kind::Action => "action",
            Kind::Question => "question",
            Kind::Statement => "statement",
        };
        phrases(name).is_some_and(|words| words.contains(word))
    }
}

/// The words and phrases of a kind.
pub(crate) fn phrases(kind: &str) -> Option<&'static HashSet<&'static str>> {
    KINDS.get(kind)
}
