//! Characters that models read but people cannot see.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::problem::Problem;
use crate::report::Report;
use crate::source::Place;

/// Invisible characters: controls, format characters that no script needs, fillers, and the
/// variation selectors that can hide text.
#[expect(clippy::expect_used, reason = "a constant expression, compiled by a test")]
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{2800}\x{3164}\x{FFA0}\x{E0100}-\x{E01EF}--[\t\r\n\x{600}-\x{605}\x{6DD}\x{70F}\x{890}\x{891}\x{8E2}\x{110BD}\x{110CD}]]",
    )
    .expect("a valid expression")
});

/// Reports hidden characters anywhere in a file, also in keys and comments.
pub(crate) fn in_text(file: usize, text: &str, report: &mut Report) {
    for (index, line) in text.split('\n').enumerate() {
        for found in HIDDEN.find_iter(line) {
            let column = line[..found.start()].chars().count() + 1;
            let is_byte_order_mark =
                index == 0 && found.start() == 0 && found.as_str() == "\u{FEFF}";
            if !is_byte_order_mark {
                let place = Place { file, line: index + 1, column, length: 1 };
                report.push(hidden(place, found.as_str()));
            }
        }
    }
}

/// Reports the first hidden character in a value whose source text does not contain it, because it is
/// written as an escape.
pub(crate) fn in_escapes(value: &str, source: &str, place: Place, report: &mut Report) {
    if let Some(found) = HIDDEN.find(value)
        && !source.contains(found.as_str())
    {
        report.push(hidden(place, found.as_str()));
    }
}

/// Escapes the invisible characters of a text; `None` if it has none.
pub(crate) fn escaped(text: &str) -> Option<String> {
    let code = |found: &Captures<'_>| found[0].escape_unicode().to_string();
    HIDDEN.is_match(text).then(|| HIDDEN.replace_all(text, code).into_owned())
}

fn hidden(place: Place, found: &str) -> Problem {
    let code = found.chars().next().map_or(0, u32::from);
    Problem::error(place, format!("hidden character U+{code:04X}"))
        .expected("visible text")
        .help("remove it: people cannot see it, but models read it")
}
