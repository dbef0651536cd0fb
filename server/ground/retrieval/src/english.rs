//! The English words by which queries are read, from `model/english.txt`.

use std::sync::LazyLock;

use hashbrown::{HashMap, HashSet};

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
        };
        phrases(name).is_some_and(|words| words.contains(word))
    }
}

/// The words and phrases of a kind.
pub(crate) fn phrases(kind: &str) -> Option<&'static HashSet<&'static str>> {
    KINDS.get(kind)
}
