//! Names that the authority does not have.

use crate::fault::Fault;
use toolwrit_text::{nearest, shorten};

/// A name that the authority does not have.
#[derive(Debug, thiserror::Error)]
#[error("unknown {what} `{name}`; expected one {}{expected}{}", .introduction, suggestion(.close))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: String,
    /// What stands before the names: whether these are all.
    introduction: &'static str,
    close: Vec<String>,
}

/// Names of which all are listed. Of more, the closest ones are.
const LISTED: usize = 12;
/// Names that are listed of many.
const CLOSE: usize = 5;

fn suggestion(close: &[String]) -> String {
    close.first().map(|name| format!(" (did you mean `{name}`?)")).unwrap_or_default()
}

impl UnknownName {
    pub(super) fn new<'a>(
        what: &'static str,
        name: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> Self {
        let names: Vec<&str> = names.collect();
        let is_whole = names.len() <= LISTED;
        let expected = if is_whole {
            names.join(", ")
        } else {
            nearest::most_similar(name, names.iter().copied(), CLOSE).join(", ")
        };
        let introduction = if is_whole { "of: " } else { "such as: " };
        let close = nearest::closest(name, names);
        Self { what, name: name.to_owned(), expected, introduction, close }
    }

    /// Converts to the fault for a caller who gave the name as an argument.
    pub fn fault(self, pointer: &str) -> Fault {
        Fault::validation(format!("There is no {} `{}`.", self.what, shorten::name(&self.name)))
            .with_path(pointer)
            .expecting(self.expected)
            .got(shorten::name(&self.name))
            .did_you_mean(self.close)
    }
}
