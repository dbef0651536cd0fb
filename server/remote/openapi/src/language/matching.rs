//! Texts that match a regular expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// How often the shortest repetitions may be made longer until a text is long enough.
const MOST_MORE: u32 = 40;
/// Characters of a text.
const LONGEST: usize = 200;

/// A text that matches an expression and has a length, if one is found.
pub(crate) fn matching_text(pattern: &str, min: u64, max: u64) -> Option<String> {
    let expression = regex::Regex::new(pattern).ok()?;
    let hir = regex_syntax::parse(pattern).ok()?;
    (0..=MOST_MORE).find_map(|more| {
        let mut text = String::new();
        write(&hir, more, &mut text)?;
        let length = text.chars().count() as u64;
        ((min..=max).contains(&length) && expression.is_match(&text)).then_some(text)
    })
}

/// Writes a text for an expression; `None` if there is none, or it is too long.
fn write(hir: &Hir, more: u32, text: &mut String) -> Option<()> {
    if text.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(character(class)?),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            for _ in 0..repetition.min.saturating_add(more).min(most) {
                write(&repetition.sub, more, text)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, more, text)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, more, text)?;
            }
        }
        HirKind::Alternation(parts) => write(parts.first()?, more, text)?,
    }
    Some(())
}

/// The plainest character of a class.
fn character(class: &Class) -> Option<char> {
    const PLAIN: &str = "a1A0bB-_.";
    let Class::Unicode(class) = class else { return None };
    let contains =
        |c: &char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(c));
    let visible = class.ranges().iter().map(regex_syntax::hir::ClassUnicodeRange::start);
    PLAIN.chars().find(contains).or_else(|| visible.into_iter().find(|c| !c.is_control()))
}
