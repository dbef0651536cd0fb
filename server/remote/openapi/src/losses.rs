//! What the manifest does not say although the document does.

use std::collections::{BTreeMap, BTreeSet};

/// What kind of thing was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A whole operation.
    Operation,
    /// A parameter, or a part of how it is sent.
    Parameter,
    /// A body, or a part of it.
    Body,
    /// An answer, or a part of it.
    Result,
    /// Part of a schema.
    Schema,
    /// A reference that leads nowhere.
    Reference,
    /// A way to prove who calls.
    Security,
    /// An address of the API.
    Server,
    /// A text that was shortened or changed.
    Text,
    /// A change that an overlay asks for.
    Overlay,
}

impl Kind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Operation => "operation",
            Kind::Parameter => "parameter",
            Kind::Body => "body",
            Kind::Result => "result",
            Kind::Schema => "schema",
            Kind::Reference => "reference",
            Kind::Security => "security",
            Kind::Server => "server",
            Kind::Text => "text",
            Kind::Overlay => "overlay",
        }
    }
}

/// Something that was lost.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// JSON pointer into the document; with the name of the document and `#` before it if that is not the root.
    pub pointer: String,
    /// What kind of thing.
    pub kind: Kind,
    /// What was lost, and why.
    pub message: String,
}

/// The losses of an import, each once.
#[derive(Debug, Default)]
pub(crate) struct Losses(BTreeSet<Loss>);

impl Losses {
    /// A hostile document cannot fill the memory.
    const MOST: usize = 100_000;

    pub(crate) fn add(&mut self, kind: Kind, pointer: &str, message: impl Into<String>) {
        if self.0.len() < Self::MOST {
            self.0.insert(Loss { pointer: pointer.to_owned(), kind, message: message.into() });
        }
    }

    pub(crate) fn into_list(self) -> Vec<Loss> {
        self.0.into_iter().collect()
    }
}

/// How many losses there are of each kind.
pub fn count_by_kind(losses: &[Loss]) -> BTreeMap<Kind, usize> {
    let mut counts = BTreeMap::new();
    for loss in losses {
        *counts.entry(loss.kind).or_default() += 1;
    }
    counts
}
