//! Descriptions of tools, and their analysis.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolwrit_words::Effect;

use crate::model::Row;
use crate::object::object;
use crate::references::without_references;
use crate::verbs::{Deeds, Verbs};
use crate::words::{Dictionary, Word, WordId};

/// The description of a tool. Every text may be empty.
#[derive(Debug, Clone, Default)]
pub struct ToolDocument<'a> {
    /// The name, an identifier.
    pub name: &'a str,
    /// The display name.
    pub title: &'a str,
    /// What it does.
    pub description: &'a str,
    /// The group it belongs to: a server or a category, with its description.
    pub category: &'a str,
    /// Names and descriptions of its parameters.
    pub parameters: Vec<(&'a str, &'a str)>,
    /// Free labels.
    pub tags: Vec<&'a str>,
    /// Typical requests of users.
    pub asks: Vec<&'a str>,
    /// Terms in these texts with alternative terms: `pull request`, `PR`.
    pub synonyms: Vec<(&'a str, &'a str)>,
    /// What it may change; `None` if nobody has said it.
    pub effect: Option<Effect>,
}

/// The number of fields: name, title, description, names of parameters, their descriptions, category, tags,
/// asks.
pub(crate) const FIELD_COUNT: usize = 8;

/// The words and pieces of a document, ready for the index. Can be computed at build time and stored as
/// bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// Without duplicates.
    pub(crate) words: Vec<Word>,
    /// Positions in `words`, without stop words.
    pub(crate) fields: [Vec<u32>; FIELD_COUNT],
    /// The number of words of each field, without synonyms.
    pub(crate) lengths: [usize; FIELD_COUNT],
    pub(crate) category: Vec<Row>,
    /// The name alone, without synonyms.
    pub(crate) name: Vec<Row>,
    /// Name and title.
    pub(crate) label: Vec<Row>,
    pub(crate) description: Vec<Row>,
    /// The number of pieces in the first sentence of the description.
    pub(crate) first_sentence: usize,
    pub(crate) asks: Vec<Vec<Row>>,
    pub(crate) deeds: Deeds,
    /// The stems of what the document acts on.
    pub(crate) objects: Vec<String>,
}

/// Analyses documents one after the other, and shared words only once.
pub struct Analyst {
    dictionary: Dictionary,
    verbs: Arc<Verbs>,
}

impl Default for Analyst {
    fn default() -> Self {
        Self::new(Verbs::shipped())
    }
}

impl Analyst {
    /// Creates an analyst who knows these verbs.
    pub fn new(verbs: Arc<Verbs>) -> Self {
        Self { dictionary: Dictionary::default(), verbs }
    }

    /// Analyses a document.
    pub fn analyse(&mut self, document: &ToolDocument<'_>) -> Analysis {
        Analysis::analyse_with(document, &mut self.dictionary, &self.verbs)
    }
}

/// The bytes are not an analysis of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes are not an analysis of this version")
    }
}

impl std::error::Error for Unreadable {}

impl Analysis {
    /// Analyses a document.
    pub fn from_document(document: &ToolDocument<'_>) -> Self {
        Analyst::default().analyse(document)
    }

    /// Analyses documents.
    pub fn from_documents<'a>(documents: impl IntoIterator<Item = ToolDocument<'a>>) -> Vec<Self> {
        let mut analyst = Analyst::default();
        documents.into_iter().map(|document| analyst.analyse(&document)).collect()
    }

    fn analyse_with(
        document: &ToolDocument<'_>,
        dictionary: &mut Dictionary,
        verbs: &Verbs,
    ) -> Self {
        let (first, rest) = first_sentence(document.description);
        let name = dictionary.read(document.name);
        let title = dictionary.read(document.title);
        let first = dictionary.read(first);
        let rest = dictionary.read(rest);
        let category = dictionary.read(document.category);
        let asks: Vec<_> =
            document.asks.iter().map(|ask| dictionary.read(&without_references(ask))).collect();
        let mut all = |texts: &mut dyn Iterator<Item = &str>| -> Vec<WordId> {
            texts.flat_map(|text| dictionary.read(text)).collect()
        };
        let names = all(&mut document.parameters.iter().map(|(name, _)| *name));
        let descriptions = all(&mut document.parameters.iter().map(|(_, text)| *text));
        let tags = all(&mut document.tags.iter().copied());
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
        let expanded = |words: Vec<WordId>| synonyms.add_to(words, dictionary);
        let pieces = |words: Vec<WordId>| dictionary.pieces(&expanded(words));
        let lengths = texts.each_ref().map(|words| dictionary.without_stop_words(words).len());
        let mut fields = texts.map(|words| dictionary.without_stop_words(&expanded(words)));
        let first = pieces(first);
        // An ask also counts in its own words: with all synonyms it is no longer near a query that is worded like it.
        let ask_forms = |ask: &Vec<WordId>| {
            let words = dictionary.meaningful(ask);
            let (own, with_synonyms) = (dictionary.pieces(&words), pieces(words));
            let is_same = own == with_synonyms;
            std::iter::once(own).chain((!is_same).then_some(with_synonyms))
        };
        let said: Vec<&[WordId]> =
            std::iter::once(title.as_slice()).chain(asks.iter().map(Vec::as_slice)).collect();
        let heads = said.iter().filter_map(|text| {
            object(text, verbs.first(text, dictionary).map(|(_, end)| end), dictionary)
        });
        let objects = synonyms.with_objects(heads.chain(name.last().copied()), dictionary);
        let class = |text: &[WordId]| verbs.class(text, dictionary);
        let deeds = Deeds {
            own: [class(&name), class(&title)].into_iter().flatten().collect(),
            asked: asks.iter().filter_map(|ask| class(ask)).collect(),
            effect: document.effect,
        };
        Self {
            deeds,
            objects,
            name: dictionary.pieces(&name),
            category: pieces(category),
            label: pieces([name, title].concat()),
            first_sentence: first.len(),
            description: [first, pieces(rest)].concat(),
            asks: asks.iter().flat_map(ask_forms).collect(),
            words: take_words(&mut fields, dictionary),
            fields,
            lengths,
        }
    }

    /// Serializes the analysis. Equal documents give equal bytes if each is analysed alone.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).unwrap_or_default()
    }

    /// Deserializes an analysis.
    ///
    /// # Errors
    /// [`Unreadable`] if the bytes are not an analysis of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let analysis: Self = postcard::from_bytes(bytes).map_err(|_| Unreadable)?;
        let count = analysis.words.len();
        let known = |position: &u32| usize::try_from(*position).is_ok_and(|at| at < count);
        let sound = analysis.fields.iter().flatten().all(known)
            && analysis.first_sentence <= analysis.description.len();
        if sound { Ok(analysis) } else { Err(Unreadable) }
    }
}

/// Returns the words of the fields, and replaces the fields' word ids with positions among these words.
fn take_words(fields: &mut [Vec<WordId>; FIELD_COUNT], dictionary: &Dictionary) -> Vec<Word> {
    let mut used: Vec<WordId> = fields.concat();
    used.sort_unstable();
    used.dedup();
    for word in fields.iter_mut().flatten() {
        let at = used.partition_point(|other| *other < *word);
        *word = WordId::try_from(at).unwrap_or(*word);
    }
    used.into_iter().map(|word| dictionary.word(word).clone()).collect()
}

/// Splits a text after its first sentence.
fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let ends = |(at, c): (usize, char)| {
        let after = &text[at + c.len_utf8()..];
        let breaks = after.chars().next().is_none_or(char::is_whitespace);
        (c == '\n' || (matches!(c, '.' | '!' | '?') && breaks)).then_some(at + c.len_utf8())
    };
    text.split_at(text.char_indices().find_map(ends).unwrap_or(text.len()))
}

/// Terms, and the words to add to texts that contain them.
struct Synonyms(Vec<(Vec<WordId>, Vec<WordId>)>);

impl Synonyms {
    fn new(document: &ToolDocument<'_>, dictionary: &mut Dictionary) -> Self {
        let pairs = document.synonyms.iter();
        let mut read = |(said, also): &(&str, &str)| (dictionary.read(said), dictionary.read(also));
        Self(pairs.map(&mut read).filter(|(said, _)| !said.is_empty()).collect())
    }

    /// Returns the words, followed by the synonyms of the terms among them.
    fn add_to(&self, mut words: Vec<WordId>, dictionary: &Dictionary) -> Vec<WordId> {
        let stem = |word: &WordId| dictionary.word(*word).stem.as_str();
        let says = |said: &[WordId]| {
            words.windows(said.len()).any(|part| part.iter().map(stem).eq(said.iter().map(stem)))
        };
        let meant = self.0.iter().filter(|(said, _)| says(said));
        let also: Vec<WordId> = meant.flat_map(|(_, also)| also.clone()).collect();
        words.extend(also);
        words
    }

    /// Returns the stems of objects, and those of the synonyms of terms that end with one of them.
    fn with_objects(
        &self,
        objects: impl Iterator<Item = WordId>,
        dictionary: &Dictionary,
    ) -> Vec<String> {
        let stem = |word: WordId| dictionary.word(word).stem.clone();
        let mut stems: Vec<String> = objects.map(stem).collect();
        let ends = |terms: &[WordId]| terms.last().copied().map(stem);
        let also =
            self.0.iter().filter(|(said, _)| ends(said).is_some_and(|end| stems.contains(&end)));
        let also: Vec<String> = also.filter_map(|(_, also)| ends(also)).collect();
        stems.extend(also);
        stems.sort_unstable();
        stems.dedup();
        stems
    }
}
