//! Errors and warnings about a manifest, and how they are shown.

mod render;

use std::fmt;

use super::source::{Place, Sources};
use crate::model::Model;

/// Whether a problem is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The manifest is refused.
    Error,
    /// The manifest is accepted, but this is probably a mistake.
    Warning,
}

impl Severity {
    /// The word that a rendered problem starts with.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One error or warning, with its place in the YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    severity: Severity,
    place: Option<Place>,
    message: String,
    expected: Option<String>,
    note: Option<(String, Place)>,
    help: Option<String>,
}

impl Problem {
    pub(crate) fn error(place: Place, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place: Some(place),
            message: message.into(),
            expected: None,
            note: None,
            help: None,
        }
    }

    pub(crate) fn warning(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(place, message) }
    }

    /// A problem without a place in a text, such as a root file that cannot be read.
    pub(crate) fn placeless(message: impl Into<String>) -> Self {
        Self { place: None, ..Self::error(Place::start_of(0), message) }
    }

    pub(crate) fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another relevant place, such as the first of two equal names.
    pub(crate) fn note(mut self, note: impl Into<String>, place: Place) -> Self {
        self.note = Some((note.into(), place));
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Its place; `None` if no text could be read.
    pub fn place(&self) -> Option<Place> {
        self.place
    }

    /// What happened.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What is expected at the place.
    pub fn expected_text(&self) -> Option<&str> {
        self.expected.as_deref()
    }

    /// How to fix it.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Another relevant place, and what it is.
    pub fn note_text(&self) -> Option<(&str, Place)> {
        self.note.as_ref().map(|(note, place)| (note.as_str(), *place))
    }

    /// The problem as a block in the manner of rustc, without colours and without a final newline.
    pub fn render(&self, sources: &Sources) -> String {
        render::render(self, sources)
    }
}

/// Why a manifest was refused: all problems of the load, in the order of the files and lines.
#[derive(Debug, Clone)]
pub struct Problems {
    list: Vec<Problem>,
    sources: Sources,
    salvage: Option<Box<Model>>,
}

impl Problems {
    pub(crate) fn new(list: Vec<Problem>, sources: Sources, salvage: Option<Model>) -> Self {
        Self { list, sources, salvage: salvage.map(Box::new) }
    }

    /// Errors and warnings.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// The files that were read, with or without errors.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The manifest with harmless values in place of invalid ones, so that generated code causes no
    /// further compiler errors. It must never serve calls. `None` if the root file is not YAML.
    pub fn salvage(&self) -> Option<&Model> {
        self.salvage.as_deref()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            f.write_str(&problem.render(&self.sources))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
