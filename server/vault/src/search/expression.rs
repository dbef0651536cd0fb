//! Compiled expressions.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use super::CaseSensitivity;

/// Largest compiled form in bytes, which bounds its memory and time.
const COMPILED_LIMIT: usize = 1024 * 1024;

/// A regular expression in which `^` and `$` are the ends of a line.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    regex: Regex,
    /// Whether it is made for texts without upper-case ASCII letters. It looks for one spelling where it
    /// would look for many, which is two to three times faster.
    lowers: bool,
}

impl Expression {
    pub(super) fn new(source: &str, case: CaseSensitivity) -> Result<Self, regex::Error> {
        let regex = compiled(
            RegexBuilder::new(source)
                .case_insensitive(case == CaseSensitivity::Insensitive)
                .multi_line(true)
                .crlf(true),
        )?;
        let lowered = parts(source, case).and_then(|hir| with_leaves(&hir, &lowered));
        let lowered =
            lowered.and_then(|hir| compiled(&mut RegexBuilder::new(&hir.to_string())).ok());
        let lowers = lowered.is_some();
        Ok(Self { regex: lowered.unwrap_or(regex), lowers })
    }

    /// What to look through instead of a text: every character takes the same place.
    pub(super) fn searched<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.lowers { text.to_ascii_lowercase().into() } else { text.into() }
    }

    /// Where the first match starts that does not start before `from`.
    pub(super) fn find(&self, searched: &str, from: usize) -> Option<usize> {
        self.regex.find_at(searched, from).map(|found| found.start())
    }
}

/// Compiles within bounds.
pub(super) fn compiled(builder: &mut RegexBuilder) -> Result<Regex, regex::Error> {
    builder.size_limit(COMPILED_LIMIT).dfa_size_limit(COMPILED_LIMIT).build()
}

/// What a valid expression is made of, as [`Expression::new`] reads it.
pub(super) fn parts(source: &str, case: CaseSensitivity) -> Option<Hir> {
    let mut parser = ParserBuilder::new();
    parser.case_insensitive(case == CaseSensitivity::Insensitive).multi_line(true).crlf(true);
    parser.build().parse(source).ok()
}

/// An expression with its characters, classes and assertions replaced, and without capture groups;
/// none if something cannot be replaced.
pub(super) fn with_leaves(hir: &Hir, replace: &dyn Fn(&Hir) -> Option<Hir>) -> Option<Hir> {
    let each = |parts: &[Hir]| -> Option<Vec<Hir>> {
        parts.iter().map(|part| with_leaves(part, replace)).collect()
    };
    Some(match hir.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => {
            replace(hir)?
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(with_leaves(&repetition.sub, replace)?);
            Hir::repetition(Repetition { sub, ..*repetition })
        }
        HirKind::Capture(capture) => with_leaves(&capture.sub, replace)?,
        HirKind::Concat(parts) => Hir::concat(each(parts)?),
        HirKind::Alternation(branches) => Hir::alternation(each(branches)?),
    })
}

/// The same for texts without upper-case ASCII letters; none if it tells cases apart.
pub(super) fn lowered(leaf: &Hir) -> Option<Hir> {
    match leaf.kind() {
        HirKind::Literal(literal) if literal.0.iter().any(u8::is_ascii_alphabetic) => None,
        HirKind::Class(class) => {
            let mut class = match class {
                Class::Unicode(class) => class.clone(),
                Class::Bytes(class) => class.to_unicode_class()?,
            };
            let holds = |c: char| class.iter().any(|range| range.start() <= c && c <= range.end());
            if ('A'..='Z').any(|c| holds(c) != holds(c.to_ascii_lowercase())) {
                return None;
            }
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('A', 'Z')]));
            Some(Hir::class(Class::Unicode(class)))
        }
        _ => Some(leaf.clone()),
    }
}
