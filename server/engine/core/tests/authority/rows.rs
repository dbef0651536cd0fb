//! Rows for tests, with default values.

use toolwrit_core::authority::{Category, DeclaredProvider, FocusMode, Name, Operation, Role};

/// An operation whose name on the wire is given.
pub(crate) fn operation(id: &str, wire_name: &str) -> Operation {
    Operation {
        id: id.to_owned(),
        name: id.split_once('.').map_or(id, |(_, name)| name).to_owned(),
        wire_name: wire_name.to_owned(),
        ..Operation::default()
    }
}

pub(crate) fn category(name: &str, title: &str, summary: &str) -> Category {
    Category {
        name: name.to_owned(),
        title: title.to_owned(),
        summary: summary.to_owned(),
        keywords: Vec::new(),
        wire_name: name.to_owned(),
        direct: false,
        instance: None,
    }
}

pub(crate) fn provider(name: &str) -> DeclaredProvider {
    DeclaredProvider {
        name: name.to_owned(),
        title: name.to_owned(),
        summary: String::new(),
        binding: None,
    }
}

/// A name of the operation at a position.
pub(crate) fn name(name: &str, operation: u16) -> Name {
    Name { name: name.to_owned(), operation, alias: None }
}

/// A focus mode that allows these effects of what joins, and of what the operator adds.
pub(crate) fn focus(joining: &[u8], added: u8) -> FocusMode {
    FocusMode { name: "full".to_owned(), summary: None, joining: joining.to_vec(), added }
}

pub(crate) fn role(name: &str, operations: u64, joining: &[u8], added: u8) -> Role {
    Role {
        name: name.to_owned(),
        summary: None,
        persona: None,
        operations: vec![operations],
        joining: joining.to_vec(),
        added,
    }
}
