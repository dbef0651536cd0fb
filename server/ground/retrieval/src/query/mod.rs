//! The words of a query, and what they ask for.

mod negation;
mod topics;
mod typos;

use hashbrown::HashMap;
use toolwrit_words::VerbClass;

use crate::english::{Kind, is_greeting};
use crate::lexical::Lexicon;
use crate::model::{self, Row};
use crate::object;
use crate::references::without_references;
use crate::verbs::Verbs;
use crate::words::{Dictionary, Word, WordId};

pub(crate) use typos::Vocabulary;

/// The weight of a word that the model does not contain, beside lengths of embeddings.
const UNKNOWN: f32 = 7.0;
/// The greatest weight of a word.
const MOST: f32 = 9.0;
/// How much the pieces of a word that neither the model nor the documents know count in the meaning of the query. It is
/// probably a name.
const NAME_MEANING: f32 = 0.5;

/// A query as it is searched.
pub(crate) struct Query {
    /// Without stop words, unless there are no others, and without duplicate stems.
    pub(crate) words: Vec<QueryWord>,
    /// With their weights.
    pub(crate) pieces: Vec<(Row, f32)>,
    /// Whether most words are neither in the model nor in the documents. The meaning of their pieces would be arbitrary.
    pub(crate) is_mostly_unfamiliar: bool,
    /// What the first verb asks for.
    pub(crate) class: Option<VerbClass>,
    /// The heads of the objects, as positions in `words`.
    pub(crate) object: Vec<usize>,
    pub(crate) is_greeting: bool,
}

/// A word of a query.
pub(crate) struct QueryWord {
    pub(crate) word: Word,
    /// How much the word says: how rare it is in general, and less for names of things and for topics.
    pub(crate) weight: f32,
}

impl Query {
    pub(crate) fn read(
        text: &str,
        lexicon: &Lexicon,
        vocabulary: &Vocabulary,
        verbs: &Verbs,
    ) -> Self {
        let is_greeting = is_greeting(text);
        let text = negation::without_denied(text);
        let text = vocabulary.mend(&text, lexicon);
        let mut dictionary = Dictionary::default();
        let all = dictionary.read(&without_references(&text));
        let said = dictionary.meaningful(&all);
        let verb = verbs.first(&all, &dictionary);
        let factors = topics::factors(&text, &mut dictionary, lexicon);
        let undone = undone(&all, &dictionary, lexicon, verbs);
        let class = if undone { Some(VerbClass::Restore) } else { verb.map(|(class, _)| class) };
        let mut query = Self {
            words: Vec::new(),
            pieces: Vec::new(),
            is_mostly_unfamiliar: false,
            class,
            object: Vec::new(),
            is_greeting,
        };
        let mut unfamiliar = 0;
        for id in said {
            unfamiliar += usize::from(query.add(id, &dictionary, lexicon, &factors));
        }
        query.is_mostly_unfamiliar = 2 * unfamiliar > query.words.len();
        let is_literal = |id: WordId| {
            let word = dictionary.word(id);
            lexicon.find(word).is_none()
                && factors.get(&word.stem).is_some_and(|factor| *factor <= topics::LITERAL)
        };
        let heads = object::heads(&all, verb.map(|(_, end)| end), &dictionary, is_literal);
        let place = |stem: &str| query.words.iter().position(|other| other.word.stem == stem);
        query.object =
            heads.into_iter().filter_map(|id| place(&dictionary.word(id).stem)).collect();
        query
    }
}

impl Query {
    /// Adds a word. Returns whether it is new, and neither the model nor a document has it.
    fn add(
        &mut self,
        id: WordId,
        dictionary: &Dictionary,
        lexicon: &Lexicon,
        factors: &HashMap<String, f32>,
    ) -> bool {
        let (word, pieces) = (dictionary.word(id), dictionary.pieces(&[id]));
        let is_familiar = pieces.len() == 1 || lexicon.find(word).is_some();
        // The first word is what to do, even if nobody knows it.
        let is_name = !is_familiar && !self.words.is_empty();
        let share = if is_name { NAME_MEANING } else { 1.0 };
        self.pieces.extend(pieces.iter().map(|piece| (*piece, share)));
        if self.words.iter().any(|known| known.word.stem == word.stem) {
            return false;
        }
        let factor = match factors.get(&word.stem) {
            _ if Kind::Preposition.has(&word.surface) => 0.0,
            Some(factor) if is_name => factor.min(topics::TOPIC),
            Some(factor) => *factor,
            None => 1.0,
        };
        let weight = factor * significance(&pieces);
        self.words.push(QueryWord { word: word.clone(), weight });
        !is_familiar
    }
}

/// How much a word says in general: the length of its embedding, which is great for rare words.
fn significance(pieces: &[Row]) -> f32 {
    if pieces.is_empty() { UNKNOWN } else { model::length(pieces).min(MOST) }
}

/// Whether a text has a verb that `un` turns round, such as `unhide`, and that no document has.
fn undone(words: &[WordId], dictionary: &Dictionary, lexicon: &Lexicon, verbs: &Verbs) -> bool {
    words.iter().any(|id| {
        let word = dictionary.word(*id);
        let Some(verb) = word.surface.strip_prefix("un").filter(|verb| verb.len() > 3) else {
            return false;
        };
        let stem = Dictionary::stem(verb);
        let is_word = lexicon.find_stem(&stem).is_some() || model::is_word(verb);
        is_word && verbs.has(&stem) && lexicon.find(word).is_none()
    })
}
