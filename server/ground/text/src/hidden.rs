//! Characters that people cannot see, but models read. This is the only rule for them: manifests refuse them, and texts of
//! other programs are shown with them escaped.

use std::sync::LazyLock;

use regex_syntax::hir::HirKind;

/// By Unicode's own properties: controls except tabs and ends of lines, format characters, separators of lines and paragraphs,
/// and what is not drawn by default, such as fillers, variation selectors and tags. Numbers and words in Arabic, Syriac and
/// Kaithi begin with format characters that are drawn. The blank pattern of Braille is drawn as nothing, although Unicode
/// counts it as a symbol.
const HIDDEN: &str = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\x{2800}--[\t\r\n\p{Prepended_Concatenation_Mark}]]";

/// The ranges of hidden characters, in order.
static RANGES: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a constant expression, read by a test")]
    let class = regex_syntax::parse(HIDDEN).expect("a valid expression");
    let HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = class.into_kind() else {
        return Vec::new();
    };
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
});

/// Whether a character is not seen, or changes how others are read.
pub fn is_hidden(c: char) -> bool {
    // Most texts have no other characters.
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\r' | '\n');
    }
    let after = RANGES.partition_point(|(start, _)| *start <= c);
    after.checked_sub(1).is_some_and(|at| RANGES[at].1 >= c)
}

/// Returns the hidden characters of a text, with their places in bytes, except those that ordinary text has.
pub fn hidden_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut before = None;
    text.char_indices().filter(move |(at, c)| {
        let before = before.replace(*c);
        is_hidden(*c) && !is_ordinary(before, *c, text[at + c.len_utf8()..].chars().next())
    })
}

/// Whether ordinary text has a hidden character where it stands: a joiner or a soft hyphen between visible characters, the
/// selector of a form after one, a blank between other patterns of Braille, or the mark of the byte order at the begin. In
/// runs they may carry a hidden text.
pub(crate) fn is_ordinary(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_visible = |c: char| !c.is_whitespace() && !is_hidden(c);
    let is_selector = |c| matches!(c, '\u{fe0e}' | '\u{fe0f}');
    let is_pattern = |c| matches!(c, '\u{2801}'..='\u{28ff}');
    match c {
        '\u{feff}' => before.is_none(),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(is_visible),
        '\u{ad}' | '\u{200c}' | '\u{200d}' => {
            before.is_some_and(|c| is_visible(c) || is_selector(c)) && after.is_some_and(is_visible)
        }
        '\u{2800}' => before.is_some_and(is_pattern) && after.is_some_and(is_pattern),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use icu_properties::props::{
        DefaultIgnorableCodePoint, GeneralCategory, PrependedConcatenationMark,
    };
    use icu_properties::{CodePointMapData, CodePointSetData};

    use super::*;

    /// Compares the rule with the tables of ICU.
    #[test]
    fn all_characters_are_as_the_properties_of_unicode_say() {
        let category = CodePointMapData::<GeneralCategory>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let drawn = CodePointSetData::new::<PrependedConcatenationMark>();
        let mut hidden = 0;
        for c in '\0'..=char::MAX {
            let expected = match category.get(c) {
                GeneralCategory::Control => !"\t\r\n".contains(c),
                GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => true,
                _ if drawn.contains(c) => false,
                GeneralCategory::Format => true,
                _ => ignorable.contains(c) || c == '\u{2800}',
            };
            assert_eq!(is_hidden(c), expected, "U+{:04X}", u32::from(c));
            hidden += usize::from(expected);
        }
        assert!(hidden > 4000, "{hidden}");
    }

    #[test]
    fn ordinary_text_hides_nothing() {
        for text in
            ["⚠\u{fe0f}", "👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "⠓⠊\u{2800}⠽⠕⠥", "\u{600}12"]
        {
            assert_eq!(hidden_characters(text).next(), None, "{text}");
        }
        let found = |text| hidden_characters(text).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(found("\u{fe0f}a\u{fe0f}\u{fe0f}"), [0, 7]);
        assert_eq!(found("a.\u{2800}"), [2]);
        assert_eq!(found("a\u{34f}\u{e0080}"), [1, 3]);
    }
}
