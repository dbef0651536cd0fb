//! How deeply a YAML text is nested. Parsers that build values take time that grows with the square of the depth.

use granit_parser::{Event, Parser};

/// The number of nested values that every parser reads fast.
const FEW_BEGINNINGS: usize = 1_000;

/// Whether no value of a YAML text is nested more than `most` levels deep. Stops at the first that is. A text that is no YAML
/// is for its parser to refuse, unless too much of it could be nested.
#[must_use]
pub fn is_shallow(yaml: &str, most: usize) -> bool {
    let mut depth = 0usize;
    for event in Parser::new_from_str(yaml) {
        match event {
            Ok((Event::SequenceStart(..) | Event::MappingStart(..), _)) => depth += 1,
            Ok((Event::SequenceEnd | Event::MappingEnd, _)) => depth = depth.saturating_sub(1),
            Ok(_) => {}
            Err(_) => return yaml.matches(['[', '{', '-', '?', ':']).count() < FEW_BEGINNINGS,
        }
        if depth > most {
            return false;
        }
    }
    true
}
