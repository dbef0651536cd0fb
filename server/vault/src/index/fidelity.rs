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
        let ends_line = |after: &str| after.starts_with('\n');
        if text.contains(KELVIN) || !text.split('\r').skip(1).all(ends_line) {
            Self::Loose
        } else if text.contains('_') || (!text.is_ascii() && text.chars().any(joins_words)) {
            Self::Letters
        } else {
            Self::Edges
        }
    }
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
