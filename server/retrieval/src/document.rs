//! What is said about a tool, and the words of it.

use serde::{Deserialize, Serialize};

use crate::model::Row;
use crate::words::{Dictionary, Word, WordId};

/// What is said about a tool. Every text may be empty.
#[derive(Debug, Clone, Default)]
pub struct Document<'a> {
    /// Its own name, an identifier.
    pub name: &'a str,
    /// Its name for people.
    pub title: &'a str,
    /// What it does.
    pub description: &'a str,
    /// The family that it belongs to: a server, a category and what is said about it.
    pub category: &'a str,
    /// Names and descriptions of its parameters.
    pub parameters: Vec<(&'a str, &'a str)>,
    /// Free labels.
    pub tags: Vec<&'a str>,
    /// How people ask for it.
    pub asks: Vec<&'a str>,
    /// What the texts call something, and what people call it too: `pull request`, `PR`.
    pub synonyms: Vec<(&'a str, &'a str)>,
}

/// How many fields are searched for words: name, title, description, names of parameters, their
/// descriptions, category, tags, asks.
pub(crate) const FIELD_COUNT: usize = 8;

/// The words and pieces of a document, as the index takes them. What a program knows when it is
/// built, it can analyse then, and keep the bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// Each once.
    pub(crate) words: Vec<Word>,
    /// Positions in `words`, stop words left out.
    pub(crate) fields: [Vec<u32>; FIELD_COUNT],
    pub(crate) category: Vec<Row>,
    /// Name and title.
    pub(crate) label: Vec<Row>,
    pub(crate) description: Vec<Row>,
    /// How many pieces of the description are its first sentence.
    pub(crate) first_sentence: usize,
    pub(crate) asks: Vec<Vec<Row>>,
}

/// The bytes are not those of an analysis by this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes are not an analysis of this version")
    }
}

impl std::error::Error for Unreadable {}

impl Analysis {
    /// Reads a document.
    pub fn of(document: &Document<'_>) -> Self {
        Self::read(document, &mut Dictionary::default())
    }

    /// Reads documents. Words that they share are looked at once.
    pub fn of_all<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Vec<Self> {
        let mut dictionary = Dictionary::default();
        documents.into_iter().map(|document| Self::read(&document, &mut dictionary)).collect()
    }

    fn read(document: &Document<'_>, dictionary: &mut Dictionary) -> Self {
        let mut reader = Reader::new(dictionary, &document.synonyms);
        let (first, rest) = first_sentence(document.description);
        let name = reader.read(document.name);
        let title = reader.read(document.title);
        let first = reader.read(first);
        let rest = reader.read(rest);
        let category = reader.read(document.category);
        let asks: Vec<_> = document.asks.iter().map(|ask| reader.read(ask)).collect();
        let mut names = Vec::new();
        let mut descriptions = Vec::new();
        for (name, description) in &document.parameters {
            names.extend(reader.read(name));
            descriptions.extend(reader.read(description));
        }
        let tags: Vec<_> = document.tags.iter().flat_map(|tag| reader.read(tag)).collect();
        let first_pieces = dictionary.pieces(&first);
        let mut fields = [
            dictionary.telling(&name),
            dictionary.telling(&title),
            dictionary.telling(&[first, rest.clone()].concat()),
            dictionary.telling(&names),
            dictionary.telling(&descriptions),
            dictionary.telling(&category),
            dictionary.telling(&tags),
            dictionary.telling(&asks.concat()),
        ];
        Self {
            category: dictionary.pieces(&category),
            label: dictionary.pieces(&[name, title].concat()),
            first_sentence: first_pieces.len(),
            description: [first_pieces, dictionary.pieces(&rest)].concat(),
            asks: asks.iter().map(|ask| dictionary.pieces(&dictionary.meaningful(ask))).collect(),
            words: own_words(&mut fields, dictionary),
            fields,
        }
    }

    /// The bytes to keep. The same document gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Reads kept bytes.
    ///
    /// # Errors
    /// [`Unreadable`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let analysis: Self = postcard::from_bytes(bytes).map_err(|_| Unreadable)?;
        let count = analysis.words.len();
        let known = |position: &u32| usize::try_from(*position).is_ok_and(|at| at < count);
        let sound = analysis.fields.iter().flatten().all(known)
            && analysis.first_sentence <= analysis.description.len();
        if sound { Ok(analysis) } else { Err(Unreadable) }
    }
}

/// The words of the fields, whose positions become positions among these.
fn own_words(fields: &mut [Vec<WordId>; FIELD_COUNT], dictionary: &Dictionary) -> Vec<Word> {
    let mut used: Vec<WordId> = fields.concat();
    used.sort_unstable();
    used.dedup();
    for word in fields.iter_mut().flatten() {
        let at = used.partition_point(|other| *other < *word);
        *word = WordId::try_from(at).unwrap_or(*word);
    }
    used.into_iter().map(|word| dictionary.word(word).clone()).collect()
}

/// A text and what follows its first sentence.
fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let ends = |(at, c): (usize, char)| {
        let after = &text[at + c.len_utf8()..];
        let breaks = after.chars().next().is_none_or(char::is_whitespace);
        (c == '\n' || (matches!(c, '.' | '!' | '?') && breaks)).then_some(at + c.len_utf8())
    };
    text.split_at(text.char_indices().find_map(ends).unwrap_or(text.len()))
}

/// Reads the texts of one document.
struct Reader<'a> {
    dictionary: &'a mut Dictionary,
    /// What the texts say, and what is then added.
    synonyms: Vec<(Vec<WordId>, Vec<WordId>)>,
}

impl<'a> Reader<'a> {
    fn new(dictionary: &'a mut Dictionary, synonyms: &[(&str, &str)]) -> Self {
        let mut pair = |(said, also): &(&str, &str)| (dictionary.read(said), dictionary.read(also));
        let synonyms = synonyms.iter().map(&mut pair).filter(|(said, _)| !said.is_empty());
        Self { synonyms: synonyms.collect(), dictionary }
    }

    /// The words of a text, and the synonyms of what it says.
    fn read(&mut self, text: &str) -> Vec<WordId> {
        let mut words = self.dictionary.read(text);
        let stem = |word: &WordId| self.dictionary.word(*word).stem.as_str();
        let says = |said: &[WordId]| {
            words
                .windows(said.len())
                .any(|window| window.iter().map(stem).eq(said.iter().map(stem)))
        };
        let meant = self.synonyms.iter().filter(|(said, _)| says(said));
        let also: Vec<WordId> = meant.flat_map(|(_, also)| also.clone()).collect();
        words.extend(also);
        words
    }
}
