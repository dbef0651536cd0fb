//! What an expression needs of a note's words, so that notes without it are not read.
//!
//! A part of an expression that matches letters and digits only must match within one word, and the
//! index knows all words; see [`Index::candidates`](crate::index::Index::candidates).

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::CaseSensitivity;
use super::expression::{compiled, lowered, parts, with_leaves};

/// Shortest match of a part, in bytes, that is worth a look through all words: what is shorter
/// stands in nearly every note.
const SHORTEST: usize = 3;

/// What a note must have for an expression to match somewhere in it.
#[derive(Debug, Clone)]
pub(crate) enum Need {
    /// A word in whose folded form this matches.
    Word(Regex),
    /// Both of these.
    Both(Box<Need>, Box<Need>),
    /// At least one of these.
    Either(Box<Need>, Box<Need>),
}

impl Need {
    /// What a valid expression needs; none if words do not tell.
    pub(crate) fn of(source: &str, case: CaseSensitivity) -> Option<Self> {
        Self::of_hir(&parts(source, case)?)
    }

    fn of_hir(hir: &Hir) -> Option<Self> {
        match hir.kind() {
            _ if is_within_word(hir) => Self::word(hir),
            HirKind::Capture(capture) => Self::of_hir(&capture.sub),
            HirKind::Repetition(repetition) if repetition.min > 0 => Self::of_hir(&repetition.sub),
            HirKind::Literal(_) => Self::of_parts(std::slice::from_ref(hir)),
            HirKind::Concat(parts) => Self::of_parts(parts),
            HirKind::Alternation(branches) => {
                let each = branches.iter().map(Self::of_hir).collect::<Option<Vec<_>>>()?;
                each.into_iter().reduce(|a, b| Self::Either(Box::new(a), Box::new(b)))
            }
            _ => None,
        }
    }

    /// Neighbours that stay within a word make one piece of it.
    fn of_parts(parts: &[Hir]) -> Option<Self> {
        let mut needs = Vec::new();
        let mut piece = Vec::new();
        for part in parts.iter().flat_map(spelled_out) {
            if is_within_word(&part) {
                piece.push(part);
            } else {
                needs.extend(Self::word(&Hir::concat(std::mem::take(&mut piece))));
                // A single character needs no word, and is not to be spelled out for ever.
                if !matches!(part.kind(), HirKind::Literal(_)) {
                    needs.extend(Self::of_hir(&part));
                }
            }
        }
        needs.extend(Self::word(&Hir::concat(piece)));
        needs.into_iter().reduce(|a, b| Self::Both(Box::new(a), Box::new(b)))
    }

    fn word(piece: &Hir) -> Option<Self> {
        if piece.properties().minimum_len()? < SHORTEST {
            return None;
        }
        let piece = with_leaves(piece, &|leaf| Some(in_word(leaf)))?;
        let folded = parts(&piece.to_string(), CaseSensitivity::Insensitive)?;
        let folded = with_leaves(&folded, &lowered)?.to_string();
        compiled(&mut RegexBuilder::new(&folded)).ok().map(Self::Word)
    }
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
