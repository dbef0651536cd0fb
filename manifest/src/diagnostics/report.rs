//! Collects problems during a load.

use toolwrit_text::nearest;

use super::problem::{Problem, Severity};
use super::source::Place;

/// Maximum number of problems kept, so that a hostile file cannot fill the memory.
const MAX_PROBLEMS: usize = 500;

/// The types that are not named in a list of the built-in ones.
const OTHER_TYPES: &str =
    "`json` is any value, `TYPE[]` a list, and `map<TYPE>` an object with any keys";

/// The problems found so far. Warnings are apart, so that no number of them hides an error.
#[derive(Debug, Default)]
pub(crate) struct Report {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
    /// Whether a file could not be read, which may declare a missing name.
    incomplete: bool,
}

impl Report {
    pub(crate) fn push(&mut self, problem: Problem) {
        let kept = match problem.severity() {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        if kept.len() < MAX_PROBLEMS {
            kept.push(problem);
        }
    }

    /// Reports an unknown name, with the most similar known one as help.
    /// Reports nothing if a file could not be read, because that may declare the name.
    pub(crate) fn unknown_reference<'a>(
        &mut self,
        place: Place,
        kind: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) {
        if self.needs_no_names() {
            return;
        }
        let problem = Problem::error(place, format!("unknown {kind} `{name}`"));
        self.push(match nearest::nearest(name, known) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(format!("no {kind} of this name is declared")),
        });
    }

    /// The same for the name of a type, which may be a built-in one.
    pub(crate) fn unknown_type<'a>(
        &mut self,
        place: Place,
        name: &str,
        declared: impl Iterator<Item = &'a str>,
        built_in: &[&'a str],
    ) {
        if self.needs_no_names() {
            return;
        }
        let problem = Problem::error(place, format!("unknown type `{name}`"));
        let near = nearest::nearest(name, declared.chain(built_in.iter().copied()));
        let expected = format!("a declared type or a built-in one: {}", built_in.join(", "));
        self.push(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.expected(expected).help(OTHER_TYPES),
        });
    }

    /// Whether an unknown name is not worth a look for similar ones: it may be declared in a file that could not be
    /// read, or no further error is kept.
    fn needs_no_names(&self) -> bool {
        self.incomplete || self.errors.len() >= MAX_PROBLEMS
    }

    /// Reports a word that is not in a fixed list.
    pub(crate) fn unknown_word(
        &mut self,
        place: Place,
        message: String,
        name: &str,
        known: &[&str],
    ) {
        const SHORT: usize = 10;
        let near = nearest::nearest(name, known.iter().copied());
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

    /// How many errors are kept.
    pub(crate) fn errors(&self) -> usize {
        self.errors.len()
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Whether an error is reported on the line of a place. Further ones there would be misleading.
    pub(crate) fn has_error_at(&self, place: Place) -> bool {
        let line = |place: Place| (place.file, place.line);
        self.errors.iter().any(|problem| problem.place().map(line) == Some(line(place)))
    }

    /// All problems, in the order of files, lines and columns. Warnings only fill what errors leave.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.errors;
        problems.extend(self.warnings);
        problems.truncate(MAX_PROBLEMS);
        problems.sort_by_key(Problem::place);
        problems
    }
}
