//! What an expression needs of a note's words, so that notes without it are not read.
//!
//! A part of an expression that matches letters and digits only must match within one word, and parts
//! between which no line can end, in words of one line in that order. The index knows all words and
//! lines; see [`Index::candidates`](crate::index::Index::candidates). Where an expression has no other
//! parts, it also knows which lines match.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look, LookSet, Repetition};

use super::CaseSensitivity;
use super::expression::{compiled, lowered, parts, with_leaves};
use crate::index::{Fidelity, PieceSet};

/// Shortest match of a piece, in bytes, that is worth a look through all words: what is shorter
/// stands in nearly every note.
const SHORTEST: usize = 3;
/// The same beside such a piece: few lines have both in their order.
const SHORTEST_BESIDE: usize = 2;
/// Most pieces of a line. More would tell hardly anything.
const MOST: usize = PieceSet::BITS as usize;
/// Most lines of an expression. For each of them all words of the vault are looked through, and meanwhile
/// nothing is entered into the index: for more of them the notes are read, which keeps nobody waiting.
const MOST_LINES: usize = 16;

/// What a note must have for an expression to match somewhere in it.
#[derive(Debug, Clone)]
pub(crate) enum Need {
    /// A line with these words.
    Line(Line),
    /// Both of these.
    Both(Box<Need>, Box<Need>),
    /// At least one of these.
    Either(Box<Need>, Box<Need>),
}

/// What a line must have.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Words in whose folded forms these match, in this order; several may in one word. At least one, and no
    /// more than a [`PieceSet`] holds.
    pub(crate) pieces: Vec<Regex>,
    /// If that is also all that the expression needs.
    pub(crate) all: Option<All>,
}

/// Where a line with the pieces is a match.
#[derive(Debug, Clone)]
pub(crate) struct All {
    /// In texts whose words tell at least so much.
    pub(crate) needed: Fidelity,
    /// Match in the words that hold a piece and the next one after it; one for each piece but the last.
    pub(crate) pairs: Vec<Regex>,
}

impl Need {
    /// What a valid expression needs; none if words do not tell.
    pub(crate) fn of(source: &str, case: CaseSensitivity) -> Option<Self> {
        let hir = with_leaves(&parts(source, case)?, &|leaf| Some(leaf.clone()))?;
        let mut need = Self::of_hir(&hir).filter(|need| need.lines() <= MOST_LINES)?;
        if let Self::Line(line) = &mut need {
            line.all = line.all_of(&hir);
        }
        Some(need)
    }

    fn of_hir(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            _ if is_within_word(hir) => Self::line(std::slice::from_ref(hir)),
            HirKind::Repetition(repetition) if repetition.min > 0 => Self::of_hir(&repetition.sub),
            HirKind::Literal(_) => Self::of_parts(std::slice::from_ref(hir)),
            HirKind::Concat(parts) => Self::of_parts(parts),
            HirKind::Alternation(branches) if branches.len() <= MOST_LINES => {
                let each = branches.iter().map(Self::of_hir).collect::<Option<Vec<_>>>()?;
                each.into_iter().reduce(|a, b| Self::Either(Box::new(a), Box::new(b)))
            }
            _ => None,
        }
    }

    fn lines(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Both(a, b) | Self::Either(a, b) => a.lines() + b.lines(),
        }
    }

    /// Neighbours that stay within a word make one piece of it, and pieces between which no line ends
    /// stand in one line.
    fn of_parts(parts: &[Hir]) -> Option<Self> {
        let mut needs = Vec::new();
        let mut line = Vec::new();
        let mut piece = Vec::new();
        for part in parts.iter().flat_map(spelled_out) {
            if is_within_word(&part) {
                piece.push(part);
                continue;
            }
            line.push(Hir::concat(std::mem::take(&mut piece)));
            if may_end_line(&part) {
                needs.extend(Self::line(&std::mem::take(&mut line)));
            }
            // A single character needs no word, and is not to be spelled out for ever.
            if !matches!(part.kind(), HirKind::Literal(_)) {
                needs.extend(Self::of_hir(&part));
            }
        }
        line.push(Hir::concat(piece));
        needs.extend(Self::line(&line));
        needs.into_iter().reduce(|a, b| Self::Both(Box::new(a), Box::new(b)))
    }

    /// Of the pieces of a line, those that tell something.
    fn line(pieces: &[Hir]) -> Option<Self> {
        let is_long = |piece: &Hir, shortest| {
            piece.properties().minimum_len().is_some_and(|length| length >= shortest)
        };
        pieces.iter().find(|piece| is_long(piece, SHORTEST))?;
        let telling = pieces.iter().filter(|piece| is_long(piece, SHORTEST_BESIDE));
        let pieces: Vec<_> = telling.filter_map(in_folded_words).take(MOST).collect();
        (!pieces.is_empty()).then_some(Self::Line(Line { pieces, all: None }))
    }
}

impl Line {
    /// Whatever has the pieces is a match if the expression has no other parts, anything may stand between them,
    /// and it does not tell cases apart, as folded words do not.
    fn all_of(&self, hir: &Hir) -> Option<All> {
        let parts = match hir.kind() {
            HirKind::Concat(parts) => parts,
            _ => std::slice::from_ref(hir),
        };
        let pieces = parts.split(is_gap).filter(|piece| !piece.is_empty());
        let is_all = pieces.clone().count() == self.pieces.len()
            && pieces.flatten().all(is_within_word)
            && with_leaves(hir, &lowered).is_some();
        let looks = hir.properties().look_set();
        let needed = match is_all {
            true if looks.is_empty() => Fidelity::Letters,
            true if looks == LookSet::singleton(Look::WordUnicode) => Fidelity::Edges,
            _ => return None,
        };
        let neighbours = self.pieces.iter().zip(&self.pieces[1..]);
        let pairs = neighbours
            .map(|(a, b)| compiled(&mut RegexBuilder::new(&format!("(?:{a}).*(?:{b})"))).ok());
        Some(All { needed, pairs: pairs.collect::<Option<_>>()? })
    }
}

/// Whether it matches anything that stands in a line.
fn is_gap(part: &Hir) -> bool {
    let HirKind::Repetition(Repetition { min: 0, max: None, sub, .. }) = part.kind() else {
        return false;
    };
    let HirKind::Class(Class::Unicode(class)) = sub.kind() else { return false };
    let mut others = class.clone();
    others.negate();
    !may_end_line(sub)
        && others
            .iter()
            .all(|range| range.start() == range.end() && matches!(range.start(), '\n' | '\r'))
}

/// A piece that stays within a word, for folded words.
fn in_folded_words(piece: &Hir) -> Option<Regex> {
    let piece = with_leaves(piece, &|leaf| Some(in_word(leaf)))?;
    let folded = parts(&piece.to_string(), CaseSensitivity::Insensitive)?;
    let folded = with_leaves(&folded, &lowered)?.to_string();
    compiled(&mut RegexBuilder::new(&folded)).ok()
}

/// A literal as one expression per character, as a word may end between any two.
fn spelled_out(part: &Hir) -> Vec<Hir> {
    let text = match part.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok(),
        _ => None,
    };
    let character = |c: char| Hir::literal(c.to_string().into_bytes());
    text.map_or_else(|| vec![part.clone()], |text| text.chars().map(character).collect())
}

/// Whether what it matches may hold the end of a line.
fn may_end_line(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().any(|range| range.start() <= '\n' && '\n' <= range.end())
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.iter().any(|range| range.start() <= b'\n' && b'\n' <= range.end())
        }
        HirKind::Repetition(repetition) => may_end_line(&repetition.sub),
        HirKind::Capture(capture) => may_end_line(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(may_end_line),
    }
}

/// Whether it matches nothing but letters and digits without marks. With them come two signs that
/// differ from such a letter in case only, and stay within a word as well.
fn is_within_word(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
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

/// The same within a folded word. Lines do not end there, but words do.
fn in_word(leaf: &Hir) -> Hir {
    match leaf.kind() {
        HirKind::Look(look) if *look != Look::WordUnicode => Hir::empty(),
        _ => leaf.clone(),
    }
}
