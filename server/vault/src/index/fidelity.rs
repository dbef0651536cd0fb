//! Whether the words of a text tell what an expression finds in it.

use regex_syntax::try_is_word_character;
use serde::{Deserialize, Serialize};

use super::tokens::is_in_word;

/// How much of a text its words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Fidelity {
    /// For an expression, lines may end elsewhere, or letters be others.
    Loose,
    /// Lines and letters are what they are for an expression.
    Letters,
    /// Words also start and end where they do for one.
    Edges,
}

impl Fidelity {
    pub(super) fn of(text: &str) -> Self {
        let signs = signs(text);
        let ends_line = |after: &str| after.starts_with('\n');
        if signs & WIDE > 0 && text.contains(KELVIN)
            || signs & RETURN > 0 && !text.split('\r').skip(1).all(ends_line)
        {
            Self::Loose
        } else if signs & JOIN > 0 || signs & WIDE > 0 && text.chars().any(joins_words) {
            Self::Letters
        } else {
            Self::Edges
        }
    }
}

/// A byte of a character beyond ASCII; of a carriage return; of an underscore.
const WIDE: u8 = 0x80;
const RETURN: u8 = 1;
const JOIN: u8 = 2;

/// Which of them stand in a text: most have none, which one look tells.
fn signs(text: &str) -> u8 {
    text.bytes().fold(0, |signs, byte| {
        let sign = if byte == b'\r' { RETURN } else { 0 } | if byte == b'_' { JOIN } else { 0 };
        signs | sign | byte & WIDE
    })
}

/// The one letter beyond ASCII whose folded form is not.
const KELVIN: char = '\u{212A}';

/// Whether a character is part of a word for an expression, and here none or a word of its own.
fn joins_words(c: char) -> bool {
    !c.is_ascii() && !is_in_word(c) && try_is_word_character(c).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::folded;

    #[test]
    fn no_other_letter_has_a_folded_form_in_ascii() {
        let folds = |c: &char| !c.is_ascii() && folded(&c.to_string()).is_ascii();
        assert!(('\0'..=char::MAX).filter(folds).filter(|c| c.is_alphanumeric()).eq([KELVIN]));
    }
}
