//! How providers and operations are bound to commands, as written.

use super::http::{RawRead, RawTemplate};
use super::read::{Entries, mapping};
use crate::yaml::Text;

mapping! {
    /// Where commands run.
    RawCommands, "`command` of a provider" {
        /// The folder: an absolute path, or `$setting`. That of the server unless given.
        folder: Text,
        /// The variables that commands see, and no others: texts, or `$` and the names of settings, also of secrets. A
        /// key that ends in `?` is left out if its setting is missing.
        environment: Entries<Option<Text>>,
    }

    /// The command of an operation.
    RawCommand, "`command` of an operation" {
        /// The provider. Only if several have `command`.
        provider: Text,
        /// The program and its words. No shell reads them. `$name` is one word, or a word for each item of a list;
        /// `{name}` is a part of a word; a mapping has options, each with its value. A name that ends in `?` leaves out
        /// the word if its value is absent.
        run: Vec<RawTemplate> [required],
        /// Where the result is in the output: `text`, or a path of its JSON. The whole output unless given.
        result: RawRead,
    }
}
