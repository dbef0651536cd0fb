//! The problems found so far.

use crate::problem::{Problem, Severity};
use crate::source::Place;

/// More problems than this are not listed: nobody reads them, and a hostile file must not cost
/// more than its size.
const MOST: usize = 500;

/// Collects problems during a load.
#[derive(Debug, Default)]
pub(crate) struct Report {
    problems: Vec<Problem>,
    /// A file could not be read, so a missing name may stand in it.
    incomplete: bool,
}

impl Report {
    pub(crate) fn push(&mut self, problem: Problem) {
        if self.problems.len() < MOST {
            self.problems.push(problem);
        }
    }

    /// Reports a name that is not among the known ones, with the nearest of them as help.
    /// Says nothing when a file is missing, because the name may stand there.
    pub(crate) fn unknown_reference<'a>(
        &mut self,
        place: Place,
        kind: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) {
        if self.incomplete || self.problems.len() >= MOST {
            return;
        }
        let problem = Problem::error(place, format!("unknown {kind} `{name}`"));
        self.push(match nearest(name, known) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("no {kind} of this name is declared")),
        });
    }

    /// Reports a word that is not one of a short fixed list.
    pub(crate) fn unknown_word(
        &mut self,
        place: Place,
        message: String,
        name: &str,
        known: &[&str],
    ) {
        const SHORT: usize = 10;
        let near = nearest(name, known.iter().copied());
        let mut problem = Problem::error(place, message);
        if near.is_none() || known.len() <= SHORT {
            problem = problem.expected(format!("one of: {}", known.join(", ")));
        }
        self.push(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        });
    }

    pub(crate) fn file_is_missing(&mut self) {
        self.incomplete = true;
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity() == Severity::Error)
    }

    /// Whether something is wrong on the line of a place, so that nothing follows from it.
    pub(crate) fn has_error_at(&self, place: Place) -> bool {
        let line = |place: Place| (place.file, place.line);
        self.problems.iter().any(|problem| problem.place().map(line) == Some(line(place)))
    }

    /// All problems, in the order of files, lines and columns.
    pub(crate) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(Problem::place);
        self.problems
    }
}

/// The most similar known name, when it is similar enough to be a slip of the hand.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (similarity(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > SLIP)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Whether a name was probably meant to be another, or is it.
pub(crate) fn is_slip(name: &str, meant: &str) -> bool {
    similarity(name, meant) > SLIP
}

/// From this Jaro-Winkler similarity on a name is taken for a misspelling.
const SLIP: f64 = 0.8;

/// From 0 to 1. Very long names are not compared.
fn similarity(a: &str, b: &str) -> f64 {
    const LONGEST: usize = 64;
    if a.len().max(b.len()) > LONGEST { 0.0 } else { strsim::jaro_winkler(a, b) }
}
