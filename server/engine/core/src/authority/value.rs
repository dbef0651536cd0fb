//! An authority as a value, and one operation of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::arena::Arena;
use super::joined::Joined;
use super::loaded::{LoadedRows, Memory};
use super::offered::Offered;
use super::{AddedCategory, NameTaken, Operation, Tables, added, joining};
use crate::argument_schema::ArgumentSchema;

/// What a server offers. Cheap to clone and immutable: to offer something else, a server uses another
/// authority.
#[derive(Clone)]
pub struct Authority(TablesSource);

#[derive(Clone)]
enum TablesSource {
    /// Generated tables in the binary.
    Static(&'static Tables<'static>),
    /// Tables created at run time.
    Loaded(Arc<LoadedAuthority>),
}

struct LoadedAuthority {
    rows: LoadedRows,
    version: AuthorityVersion,
    /// The authority without its dynamic operations.
    base: AuthorityVersion,
    /// The dynamic operations. [`Operation::joined`] is a position here.
    joined: Arc<[Arc<Joined>]>,
}

/// Identifies an authority. Equal versions mean the same authority. Of two authorities created at run time,
/// the later one has the greater version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthorityVersion(TablesId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum TablesId {
    /// The address of its static tables.
    Static(usize),
    /// How many were created before it.
    Loaded(u64),
}

impl AuthorityVersion {
    fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(TablesId::Loaded(COUNT.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Authority {
    /// Returns the authority of these static tables.
    pub const fn of(tables: &'static Tables<'static>) -> Self {
        Self(TablesSource::Static(tables))
    }

    /// Creates an authority at run time. `build` copies the data that the rows need into the arena.
    pub fn load(build: impl for<'a> FnOnce(&'a Arena) -> Tables<'a>) -> Self {
        let rows = LoadedRows::new(Memory::default(), |memory| build(&memory.arena));
        let version = AuthorityVersion::next();
        Self(TablesSource::Loaded(Arc::new(LoadedAuthority {
            rows,
            version,
            base: version,
            joined: Arc::default(),
        })))
    }

    /// Returns this authority with further categories. Each has a provider of the same name that may add operations to it,
    /// with any effect.
    ///
    /// # Errors
    /// If a category or a provider has the name of one of them.
    pub fn with_categories(&self, added: &[AddedCategory]) -> Result<Self, NameTaken> {
        added::check(self.tables(), added)?;
        if added.is_empty() {
            return Ok(self.clone());
        }
        let memory = Memory { base: Some(self.clone()), ..Memory::default() };
        let rows = LoadedRows::new(memory, |memory| added::rows(memory, added));
        let version = AuthorityVersion::next();
        let (base, joined) = (version, Arc::default());
        Ok(Self(TablesSource::Loaded(Arc::new(LoadedAuthority { rows, version, base, joined }))))
    }

    /// Returns this authority with dynamic operations, whose names are free. The positions of its own operations
    /// stay.
    pub(super) fn joined_by(&self, joined: &[Arc<Joined>]) -> Self {
        if joined.is_empty() {
            return self.clone();
        }
        let joined: Arc<[Arc<Joined>]> = joined.into();
        let memory =
            Memory { base: Some(self.clone()), joined: joined.clone(), ..Memory::default() };
        let rows = LoadedRows::new(memory, joining::rows);
        let (version, base) = (AuthorityVersion::next(), self.version());
        Self(TablesSource::Loaded(Arc::new(LoadedAuthority { rows, version, base, joined })))
    }

    /// Returns its tables.
    pub fn tables(&self) -> &Tables<'_> {
        match &self.0 {
            TablesSource::Static(tables) => tables,
            TablesSource::Loaded(loaded) => loaded.rows.tables(),
        }
    }

    /// Returns its version.
    pub fn version(&self) -> AuthorityVersion {
        match &self.0 {
            TablesSource::Static(tables) => {
                AuthorityVersion(TablesId::Static(std::ptr::from_ref(*tables).addr()))
            }
            TablesSource::Loaded(loaded) => loaded.version,
        }
    }

    /// Returns the version of the authority without its dynamic operations.
    pub fn base(&self) -> AuthorityVersion {
        match &self.0 {
            TablesSource::Static(_) => self.version(),
            TablesSource::Loaded(loaded) => loaded.base,
        }
    }

    /// Returns the operation at this position of [`Self::tables`].
    ///
    /// # Panics
    /// If there is no operation at this position.
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

/// An operation of an authority, together with the authority. A position without it could be used with
/// another authority, where it means another operation.
#[derive(Clone)]
pub struct OperationHandle {
    authority: Authority,
    index: usize,
}

impl OperationHandle {
    /// Returns the row of the operation.
    pub fn row(&self) -> &Operation<'_> {
        &self.authority.tables().operations[self.index]
    }

    /// Returns the authority of the operation.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// Returns the position of the operation in its authority.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the name of the provider that the operation requires.
    pub(crate) fn provider(&self) -> Option<&str> {
        let at = usize::from(self.row().requires?);
        self.authority.tables().providers.get(at).map(|provider| provider.name)
    }

    /// Returns the name of the provider that has added the operation.
    pub fn added_by(&self) -> Option<&str> {
        self.provider().filter(|_| self.row().joined.is_some())
    }

    /// Whether it is the operation of resources whose provider announces changes.
    pub fn announces_changes(&self) -> bool {
        self.joined().is_some_and(|joined| {
            matches!(joined.operation.offered, Offered::Resources { subscribe: true, .. })
        })
    }

    /// Returns the schema of a dynamic operation's arguments; `None` for an operation with a field table.
    pub(crate) fn argument_schema(&self) -> Option<&ArgumentSchema> {
        self.joined().map(|joined| &*joined.arguments)
    }

    /// Returns the fields that callers of a dynamic operation can select.
    pub(crate) fn selectable(&self) -> &[String] {
        self.joined().map_or(&[], |joined| &joined.selectable)
    }

    fn joined(&self) -> Option<&Joined> {
        let at = usize::from(self.row().joined?);
        match &self.authority.0 {
            TablesSource::Loaded(loaded) => loaded.joined.get(at).map(|joined| &**joined),
            TablesSource::Static(_) => None,
        }
    }
}

impl fmt::Debug for OperationHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.row().id).finish()
    }
}
