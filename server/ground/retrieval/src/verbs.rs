//! Classes of verbs: what a text asks to be done.

use std::sync::{Arc, LazyLock};

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use toolwrit_words::{Effect, VerbClass};

use crate::english::{Kind, phrases};
use crate::words::{Dictionary, Word, WordId};

/// How many words `*` stands for, at most.
const HOLE: usize = 3;
/// A negation denies a verb among this many words behind it.
const DENIED: usize = 3;

/// A set of classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VerbSet(u8);

impl VerbSet {
    fn bit(class: VerbClass) -> u8 {
        1 << class as u8
    }

    pub(crate) fn has(self, class: VerbClass) -> bool {
        self.0 & Self::bit(class) != 0
    }
}

impl FromIterator<VerbClass> for VerbSet {
    fn from_iter<T: IntoIterator<Item = VerbClass>>(classes: T) -> Self {
        Self(classes.into_iter().fold(0, |set, class| set | Self::bit(class)))
    }
}

/// The verbs of each class: those of the data file, and those that an author adds.
#[derive(Debug, Clone)]
pub struct Verbs {
    /// By the stem of the first word, longer phrases first.
    phrases: HashMap<String, Vec<Phrase>>,
    /// The words of all phrases.
    words: Vec<String>,
}

#[derive(Debug, Clone)]
struct Phrase {
    class: VerbClass,
    /// What follows the first word.
    rest: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Stem(String),
    Hole,
}

static SHIPPED: LazyLock<Arc<Verbs>> = LazyLock::new(|| Arc::new(Verbs::with([])));

impl Verbs {
    /// The verbs of the data file.
    pub fn shipped() -> Arc<Self> {
        SHIPPED.clone()
    }

    /// The verbs of the data file and further ones, which precede them.
    pub fn with<'a>(added: impl IntoIterator<Item = (VerbClass, &'a str)>) -> Self {
        let mut verbs = Self { phrases: HashMap::new(), words: Vec::new() };
        let mut dictionary = Dictionary::default();
        for (class, phrase) in added {
            verbs.add(class, phrase, &mut dictionary);
        }
        for class in VerbClass::ALL {
            let mut own: Vec<_> = phrases(class.as_str()).into_iter().flatten().collect();
            own.sort_unstable();
            for phrase in own {
                verbs.add(class, phrase, &mut dictionary);
            }
        }
        // Stable, so that added verbs stay before shipped ones of the same length.
        verbs.phrases.values_mut().for_each(|all| all.sort_by_key(|p| usize::MAX - p.rest.len()));
        verbs
    }

    fn add(&mut self, class: VerbClass, phrase: &str, dictionary: &mut Dictionary) {
        let mut parts = phrase.split_whitespace().map(|word| {
            if word == "*" {
                return Part::Hole;
            }
            self.words.push(word.to_owned());
            let id = dictionary.read(word);
            Part::Stem(id.first().map_or_else(String::new, |id| dictionary.word(*id).stem.clone()))
        });
        let Some(Part::Stem(first)) = parts.next() else { return };
        let rest = parts.collect();
        self.phrases.entry(first).or_default().push(Phrase { class, rest });
    }

    /// The words of all phrases.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether a phrase begins with a word of this stem.
    pub(crate) fn has(&self, stem: &str) -> bool {
        self.phrases.contains_key(stem)
    }

    /// The first verb of a text that is not denied: its class, and the position behind it.
    pub(crate) fn first(
        &self,
        words: &[WordId],
        dictionary: &Dictionary,
    ) -> Option<(VerbClass, usize)> {
        let word = |at: usize| dictionary.word(words[at]);
        (0..words.len()).find_map(|at| {
            let denied = |at| Kind::Negation.has(&word(at).surface);
            let candidates = self.phrases.get(&word(at).stem)?;
            let fits = |phrase: &&Phrase| !phrase.rest.is_empty() || is_verb(words, at, dictionary);
            let mut found = candidates
                .iter()
                .filter(fits)
                .filter_map(|phrase| Some((phrase.class, phrase.end(words, at + 1, dictionary)?)));
            let found = found.next()?;
            let is_denied = (at.saturating_sub(DENIED)..at).any(denied);
            (!is_denied).then_some(found)
        })
    }

    /// What a text asks for, or says that it does.
    pub fn class_of(&self, text: &str) -> Option<VerbClass> {
        let mut dictionary = Dictionary::default();
        let words = dictionary.read(text);
        self.class(&words, &dictionary)
    }

    /// Whether a verb is at this position, denied or not.
    pub(crate) fn is_at(&self, words: &[WordId], at: usize, dictionary: &Dictionary) -> bool {
        let candidates = self.phrases.get(&dictionary.word(words[at]).stem);
        candidates.into_iter().flatten().any(|phrase| {
            (!phrase.rest.is_empty() || is_verb(words, at, dictionary))
                && phrase.end(words, at + 1, dictionary).is_some()
        })
    }

    /// The class of the first verb of a text.
    pub(crate) fn class(&self, words: &[WordId], dictionary: &Dictionary) -> Option<VerbClass> {
        self.first(words, dictionary).map(|(class, _)| class)
    }
}

/// Whether the word at this position is a verb. One that is also a noun is a verb only where a sentence begins.
fn is_verb(words: &[WordId], at: usize, dictionary: &Dictionary) -> bool {
    let Word { surface, stem } = dictionary.word(words[at]);
    if !Kind::Noun.has(surface) && !Kind::Noun.has(stem) {
        return true;
    }
    let begins = words[..at].iter().all(|id| Kind::Opening.has(&dictionary.word(*id).surface));
    begins && words.len() > 1 && Kind::Noun.has(surface)
}

impl Phrase {
    /// The position behind the phrase, whose first word is before `at`; `None` if the text continues otherwise.
    fn end(&self, words: &[WordId], mut at: usize, dictionary: &Dictionary) -> Option<usize> {
        let stem = |at: usize| words.get(at).map(|id| &dictionary.word(*id).stem);
        let mut may_skip = 0;
        for part in &self.rest {
            match part {
                Part::Hole => may_skip = HOLE,
                Part::Stem(wanted) => {
                    let found = (at..=at + may_skip).find(|at| stem(*at) == Some(wanted))?;
                    at = found + 1;
                    may_skip = 0;
                }
            }
        }
        Some(at)
    }
}

/// What an operation does, as far as its texts and its effect say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deeds {
    /// The verbs of the name and of the title.
    pub(crate) own: VerbSet,
    /// The verbs of the asks.
    pub(crate) asked: VerbSet,
    /// `None` if nobody has said it.
    pub(crate) effect: Option<Effect>,
}

impl Deeds {
    /// How far the operation is something else than a verb asks for: 0, 0.5 or 1.
    pub(crate) fn contradiction(self, class: Option<VerbClass>) -> f32 {
        let Some(class) = class else { return 0.0 };
        let own = self.own.has(class);
        let either = own || self.asked.has(class);
        let unless = |fits: bool, otherwise: f32| if fits { 0.0 } else { otherwise };
        let Some(effect) = self.effect else { return self.assumed_contradiction(class) };
        match (class, effect) {
            (VerbClass::Restore, _) | (VerbClass::Delete, Effect::Write) => unless(either, 1.0),
            (VerbClass::Delete, Effect::Destroy)
            | (VerbClass::Update, Effect::Write)
            | (VerbClass::Read, Effect::Read) => 0.0,
            (VerbClass::Create | VerbClass::Read, Effect::Write) => unless(either, 0.5),
            (VerbClass::Create | VerbClass::Update, Effect::Read)
            | (VerbClass::Update, Effect::Destroy) => unless(own, 1.0),
            (VerbClass::Delete, Effect::Read)
            | (VerbClass::Create | VerbClass::Read, Effect::Destroy) => 1.0,
        }
    }

    /// The same without an effect: its own verbs decide.
    fn assumed_contradiction(self, class: VerbClass) -> f32 {
        let differs = |other: VerbClass| class == other || self.own.has(other);
        match class {
            VerbClass::Restore if !self.own.has(class) && !self.asked.has(class) => 1.0,
            _ if self.own.has(class) || self.own == VerbSet::default() => 0.0,
            _ if self.asked.has(class) => 0.5,
            _ if differs(VerbClass::Delete) || differs(VerbClass::Read) => 1.0,
            _ => 0.5,
        }
    }
}
