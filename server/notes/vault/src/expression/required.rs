//! The words that an expression requires. The search reads only the notes that hold them.
//!
//! A part of an expression that matches only ASCII letters and digits always matches within one
//! word, and the index knows which notes contain which words. This is a filter: the search still
//! looks for the expression in each note that passes it.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::{CaseSensitivity, build_limited, parse};

/// The shortest match in bytes that is worth a lookup. Nearly every note contains shorter ones.
const SHORTEST: usize = 3;
/// Most patterns of a sequence. More of them would hardly exclude further notes.
const MOST_IN_SEQUENCE: usize = 8;
/// Most patterns of an expression. Each is matched against all words of the vault while the index
/// is locked. For an expression with more patterns, all notes are read.
const MOST: usize = 32;

/// The words that a note must contain for an expression to match in it.
#[derive(Debug, Clone)]
pub(crate) enum RequiredWords {
    /// A word whose folded form this pattern matches.
    Matching(Regex),
    /// All of these.
    All(Vec<Self>),
    /// At least one of these.
    Any(Vec<Self>),
}

impl RequiredWords {
    /// The words that a valid expression requires; `None` if it requires none.
    pub(crate) fn parse(source: &str, case: CaseSensitivity) -> Option<Self> {
        Self::from_hir(&parse(source, case)?).filter(|required| required.count_patterns() <= MOST)
    }

    fn from_hir(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            _ if is_within_word(hir) => Self::pattern_for(hir),
            HirKind::Repetition(repetition) if repetition.min > 0 => {
                Self::from_hir(&repetition.sub)
            }
            HirKind::Capture(capture) => Self::from_hir(&capture.sub),
            HirKind::Literal(_) => Self::from_sequence(std::slice::from_ref(hir)),
            HirKind::Concat(parts) => Self::from_sequence(parts),
            HirKind::Alternation(branches) => {
                branches.iter().map(Self::from_hir).collect::<Option<_>>().map(Self::Any)
            }
            _ => None,
        }
    }

    /// Adjacent parts that match within a word become one pattern.
    fn from_sequence(parts: &[Hir]) -> Option<Self> {
        let parts: Vec<Hir> = parts.iter().flat_map(split_characters).collect();
        let runs = parts.chunk_by(|a, b| is_within_word(a) && is_within_word(b));
        let required = runs.filter_map(|run| match run {
            [part] if !is_within_word(part) => match part.kind() {
                HirKind::Literal(_) => None,
                _ => Self::from_hir(part),
            },
            _ => Self::pattern_for(&Hir::concat(run.to_vec())),
        });
        let required: Vec<Self> = required.take(MOST_IN_SEQUENCE).collect();
        (!required.is_empty()).then_some(Self::All(required))
    }

    /// A pattern for folded words, if its matches are long enough.
    fn pattern_for(hir: &Hir) -> Option<Self> {
        hir.properties().minimum_len().filter(|length| *length >= SHORTEST)?;
        let pattern = build_limited(RegexBuilder::new(&hir.to_string()).case_insensitive(true));
        pattern.ok().map(Self::Matching)
    }

    fn count_patterns(&self) -> usize {
        match self {
            Self::Matching(_) => 1,
            Self::All(required) | Self::Any(required) => {
                required.iter().map(Self::count_patterns).sum()
            }
        }
    }
}

/// Splits a literal into one literal for each character, because a word may end between any two.
fn split_characters(part: &Hir) -> Vec<Hir> {
    let text = match part.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok(),
        _ => None,
    };
    let character = |c: char| Hir::literal(c.to_string().into_bytes());
    text.map_or_else(|| vec![part.clone()], |text| text.chars().map(character).collect())
}

/// Whether an expression matches only ASCII letters and digits. Two more characters are allowed,
/// `ſ` and the Kelvin sign, because case-insensitive `s` and `k` match them. Both are part of
/// words.
fn is_within_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => true,
        // A word boundary in a text is also one in the index. That is not true of other assertions.
        HirKind::Look(look) => *look == Look::WordUnicode,
        HirKind::Literal(literal) => literal.0.iter().all(u8::is_ascii_alphanumeric),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().all(|range| is_plain(range.start(), range.end()))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().all(|range| is_plain(range.start().into(), range.end().into()))
        }
        HirKind::Repetition(repetition) => is_within_word(&repetition.sub),
        HirKind::Capture(capture) => is_within_word(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(is_within_word),
    }
}

fn is_plain(start: char, end: char) -> bool {
    let within = |first, last| first <= start && end <= last;
    let long_s_or_kelvin = start == end && matches!(start, 'ſ' | '\u{212A}');
    within('0', '9') || within('A', 'Z') || within('a', 'z') || long_s_or_kelvin
}
