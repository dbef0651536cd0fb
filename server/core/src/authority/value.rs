//! An authority as a value, and one operation of it.

use std::fmt;

use super::{Operation, Tables};

/// What a server offers. Cheap to clone. It never changes: a server that offers something else has another
/// one.
#[derive(Clone)]
pub struct Authority(Source);

#[derive(Clone)]
enum Source {
    /// As the macro leaves it in the binary.
    Static(&'static Tables<'static>),
}

/// Tells authorities apart. Equal versions are the same authority; of those that are made while the program
/// runs, the later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(Origin);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Origin {
    /// The address of its tables, which stay.
    Static(usize),
}

impl Authority {
    /// The authority of these tables.
    pub const fn of(tables: &'static Tables<'static>) -> Self {
        Self(Source::Static(tables))
    }

    /// Its rows.
    pub fn tables(&self) -> &Tables<'_> {
        match &self.0 {
            Source::Static(tables) => tables,
        }
    }

    /// Which one it is.
    pub fn version(&self) -> Version {
        Version(match &self.0 {
            Source::Static(tables) => Origin::Static(std::ptr::from_ref(*tables).addr()),
        })
    }

    /// The operation at this position of [`Self::tables`].
    ///
    /// # Panics
    /// When there is none.
    pub fn operation(&self, index: usize) -> Handle {
        assert!(index < self.tables().operations.len(), "the position is one of this authority's");
        Handle { authority: self.clone(), index }
    }
}

impl From<&'static Tables<'static>> for Authority {
    fn from(tables: &'static Tables<'static>) -> Self {
        Self::of(tables)
    }
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Authority").field(&self.tables().server.name).finish()
    }
}

/// An operation of an authority, which it keeps. A position alone could be read against another authority,
/// where it means another operation.
#[derive(Clone)]
pub struct Handle {
    authority: Authority,
    index: usize,
}

impl Handle {
    /// What the authority says of it.
    pub fn row(&self) -> &Operation<'_> {
        &self.authority.tables().operations[self.index]
    }

    /// Whose operation it is.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Its position there.
    pub fn index(&self) -> usize {
        self.index
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.row().id).finish()
    }
}
