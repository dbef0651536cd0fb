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
    /// How many words each field has without synonyms, which make nothing longer.
    pub(crate) lengths: [usize; FIELD_COUNT],
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
        let (first, rest) = first_sentence(document.description);
        let name = dictionary.read(document.name);
        let title = dictionary.read(document.title);
        let first = dictionary.read(first);
        let rest = dictionary.read(rest);
        let category = dictionary.read(document.category);
        let asks: Vec<_> = document.asks.iter().map(|ask| dictionary.read(ask)).collect();
        let mut names = Vec::new();
        let mut descriptions = Vec::new();
        for (name, description) in &document.parameters {
            names.extend(dictionary.read(name));
            descriptions.extend(dictionary.read(description));
        }
        let tags: Vec<_> = document.tags.iter().flat_map(|tag| dictionary.read(tag)).collect();
        let texts = [
            name.clone(),
            title.clone(),
            [first.clone(), rest.clone()].concat(),
            names,
            descriptions,
            category.clone(),
            tags,
            asks.concat(),
        ];
        let synonyms = Synonyms::new(document, dictionary);
        let dictionary = &*dictionary;
        let expanded = |words: Vec<WordId>| synonyms.added_to(words, dictionary);
        let pieces = |words: Vec<WordId>| dictionary.pieces(&expanded(words));
        let lengths = texts.each_ref().map(|words| dictionary.telling(words).len());
        let mut fields = texts.map(|words| dictionary.telling(&expanded(words)));
        let first = pieces(first);
        Self {
            category: pieces(category),
            label: pieces([name, title].concat()),
            first_sentence: first.len(),
            description: [first, pieces(rest)].concat(),
            asks: asks.iter().map(|ask| pieces(dictionary.meaningful(ask))).collect(),
            words: own_words(&mut fields, dictionary),
            fields,
            lengths,
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

/// What texts say, and what people say for it.
struct Synonyms(Vec<(Vec<WordId>, Vec<WordId>)>);

impl Synonyms {
    fn new(document: &Document<'_>, dictionary: &mut Dictionary) -> Self {
        let pairs = document.synonyms.iter();
        let mut read = |(said, also): &(&str, &str)| (dictionary.read(said), dictionary.read(also));
        Self(pairs.map(&mut read).filter(|(said, _)| !said.is_empty()).collect())
    }

    /// The words, and the synonyms of what they say.
    fn added_to(&self, mut words: Vec<WordId>, dictionary: &Dictionary) -> Vec<WordId> {
        let stem = |word: &WordId| dictionary.word(*word).stem.as_str();
        let says = |said: &[WordId]| {
            words.windows(said.len()).any(|part| part.iter().map(stem).eq(said.iter().map(stem)))
        };
        let meant = self.0.iter().filter(|(said, _)| says(said));
        let also: Vec<WordId> = meant.flat_map(|(_, also)| also.clone()).collect();
        words.extend(also);
        words
    }
}
