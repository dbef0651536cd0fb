//! An authority as a value, and one operation of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::arena::Arena;
use super::dynamic::{InvalidDynamicOperation, Joined, Validate};
use super::loaded::{Loaded, Memory};
use super::{Operation, Tables, joining};

/// What a server offers. Cheap to clone. It never changes: a server that offers something else has another
/// one.
#[derive(Clone)]
pub struct Authority(TablesSource);

#[derive(Clone)]
enum TablesSource {
    /// As the macro leaves it in the binary.
    Static(&'static Tables<'static>),
    /// Made while the program runs.
    Loaded(Arc<Made>),
}

struct Made {
    rows: Loaded,
    version: Version,
    /// The authority that the operations joined; this one where none did.
    base: Version,
    /// [`Operation::joined`] is a position here.
    joined: Arc<[Arc<Joined>]>,
}

/// Tells authorities apart. Equal versions are the same authority; of those that are made while the program
/// runs, the later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(TablesId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum TablesId {
    /// The address of its tables, which stay.
    Static(usize),
    /// How many were made before it.
    Loaded(u64),
}

impl Version {
    fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(TablesId::Loaded(COUNT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Authority {
    /// The authority of these tables.
    pub const fn of(tables: &'static Tables<'static>) -> Self {
        Self(TablesSource::Static(tables))
    }

    /// An authority whose rows are made now, from data that need not last: the arena keeps it.
    pub fn load(build: impl for<'a> FnOnce(&'a Arena) -> Tables<'a>) -> Self {
        let rows = Loaded::new(Memory::default(), |memory| build(&memory.arena));
        let version = Version::next();
        Self(TablesSource::Loaded(Arc::new(Made {
            rows,
            version,
            base: version,
            joined: Arc::default(),
        })))
    }

    /// This authority with the operations that have joined it. Positions of its own operations stay.
    ///
    /// # Errors
    /// When a name is taken, or there is no room.
    pub(super) fn joined_by(
        &self,
        joined: &[Arc<Joined>],
    ) -> Result<Self, InvalidDynamicOperation> {
        if joined.is_empty() {
            return Ok(self.clone());
        }
        joining::check(self.tables(), joined)?;
        let joined: Arc<[Arc<Joined>]> = joined.into();
        let memory =
            Memory { base: Some(self.clone()), joined: joined.clone(), ..Memory::default() };
        let rows = Loaded::new(memory, joining::rows);
        let (version, base) = (Version::next(), self.version());
        Ok(Self(TablesSource::Loaded(Arc::new(Made { rows, version, base, joined }))))
    }

    /// Its rows.
    pub fn tables(&self) -> &Tables<'_> {
        match &self.0 {
            TablesSource::Static(tables) => tables,
            TablesSource::Loaded(made) => made.rows.tables(),
        }
    }

    /// Which one it is.
    pub fn version(&self) -> Version {
        match &self.0 {
            TablesSource::Static(tables) => {
                Version(TablesId::Static(std::ptr::from_ref(*tables).addr()))
            }
            TablesSource::Loaded(made) => made.version,
        }
    }

    /// Which one it is without the operations that have joined it.
    pub fn base(&self) -> Version {
        match &self.0 {
            TablesSource::Static(_) => self.version(),
            TablesSource::Loaded(made) => made.base,
        }
    }

    /// The operation at this position of [`Self::tables`].
    ///
    /// # Panics
    /// When there is none.
    pub fn operation(&self, index: usize) -> OperationHandle {
        assert!(index < self.tables().operations.len(), "the position is one of this authority's");
        OperationHandle { authority: self.clone(), index }
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
pub struct OperationHandle {
    authority: Authority,
    index: usize,
}

impl OperationHandle {
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

    /// What checks its arguments, where no field table does.
    pub(crate) fn validate(&self) -> Option<&dyn Validate> {
        let at = usize::from(self.row().joined?);
        match &self.authority.0 {
            TablesSource::Loaded(made) => {
                made.joined.get(at).map(|joined| &*joined.operation.validate)
            }
            TablesSource::Static(_) => None,
        }
    }
}

impl fmt::Debug for OperationHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.row().id).finish()
    }
}
