//! Block markup: parsing, editing, and what WordPress's own parser makes of it.
#![allow(missing_docs, reason = "a test binary has no public items")]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod editing;
mod parsing;
mod random;

use toolwrit_wordpress::blocks::{BlockPath, Document};

fn path(positions: &[usize]) -> BlockPath {
    BlockPath::new(positions).unwrap()
}

/// The blocks of a text, each as its path and name.
fn outline(text: &str) -> Vec<String> {
    outline_of(&Document::parse(text))
}

fn outline_of(document: &Document) -> Vec<String> {
    document.walk().map(|(path, block)| format!("{path} {}", block.name())).collect()
}
