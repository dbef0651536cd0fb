//! Block markup: parsing, editing, and what WordPress's own parser makes of it.

mod agreement;
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
