//! The checked manifest. A value of [`Authority`] exists only if every rule of the language holds, so
//! the crates that use it (macros, docs, engine) need no checks of their own.

use std::ops::Deref;

use crate::diagnostics::{Problem, Sources};
use crate::model::Model;
use crate::narrow::LeftOut;

/// A checked manifest, together with the text it came from and the warnings of the load.
#[derive(Debug, Clone)]
pub struct Authority {
    pub(crate) model: Model,
    pub(crate) sources: Sources,
    pub(crate) warnings: Vec<Problem>,
}

impl Authority {
    /// The files of the load: the root first, then the others in the order of `include`, then the cookbooks and the lock files.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The authority without the operations that need a handler, which only a compiled server has, and what was left out.
    /// Its texts are still whole.
    pub fn without_handlers(&self) -> (Self, LeftOut) {
        let (model, left_out) = self.model.without_handlers();
        (Self { model, ..self.clone() }, left_out)
    }

    /// Warnings about valid declarations that are probably mistakes, such as an operation that no role
    /// allows.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }
}

/// Read-only access: a checked model cannot be edited into a bad one.
impl Deref for Authority {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

/// Two authorities are equal if they declare the same; the layout of the text does not matter.
impl PartialEq for Authority {
    fn eq(&self, other: &Self) -> bool {
        self.model == other.model
    }
}
