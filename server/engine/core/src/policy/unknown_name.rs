//! Names that the authority does not have.

use crate::fault::Fault;
use toolwrit_text::{nearest, shorten};

/// A name that the authority does not have.
#[derive(Debug, thiserror::Error)]
#[error("unknown {what} `{name}`; expected one of: {expected}{}", suggestion(.close))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: String,
    close: Vec<String>,
}

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
        Self {
            what,
            name: name.to_owned(),
            expected: names.join(", "),
            close: nearest::closest(name, names),
        }
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
