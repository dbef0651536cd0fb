//! An authority as a value, and one operation of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};
use toolwrit_retrieval::{Analysis, Analyst};

use super::joined::Joined;
use super::modes::{self, AddedModes, InvalidMode, Limits};
use super::offered::Offered;
use super::{
    AddedCategory, ArgumentMapping, Instance, NameTaken, Operation, Tables, added, instances,
    joining,
};
use crate::argument_schema::ArgumentSchema;

/// What a server offers. Cheap to clone and immutable: to offer something else, a server uses another
/// authority.
#[derive(Clone)]
pub struct Authority(Arc<Inner>);

struct Inner {
    tables: Tables,
    version: AuthorityVersion,
    /// The authority without its dynamic operations.
    base: AuthorityVersion,
    /// The dynamic operations, which are the last ones of the tables.
    joined: Arc<[Arc<Joined>]>,
    /// What the focus modes and roles allow that the operator adds.
    limits: Arc<Limits>,
    /// As [`Authority::instances`] has them.
    instances: Arc<[Instance]>,
}

/// Identifies an authority. Equal versions mean the same authority. Of two authorities, the one that was created later has
/// the greater version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AuthorityVersion(u64);

impl AuthorityVersion {
    fn next() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        Self(COUNT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Authority {
    /// Creates the authority of these tables.
    pub fn new(tables: Tables) -> Self {
        Self::without_dynamic(tables, Arc::default(), Arc::default())
    }

    /// Creates an authority without dynamic operations.
    fn without_dynamic(tables: Tables, limits: Arc<Limits>, instances: Arc<[Instance]>) -> Self {
        let (version, tables) = (AuthorityVersion::next(), limits.narrow(tables));
        let joined = Arc::default();
        Self(Arc::new(Inner { tables, version, base: version, joined, limits, instances }))
    }

    /// Returns this authority for an application that serves several instances. Calls select one by the parameter that
    /// categories declare. A single one needs no parameter, and only its policy holds.
    #[must_use]
    pub fn with_instances(&self, instances: Vec<Instance>) -> Self {
        let tables = match &*instances {
            [] => return self.clone(),
            [one] if !one.is_restricted() => return self.clone(),
            [_] => self.tables().clone(),
            _ => instances::selecting(self.tables(), &instances),
        };
        Self::without_dynamic(tables, self.0.limits.clone(), instances.into())
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
        let (limits, instances) = (self.0.limits.clone(), self.0.instances.clone());
        Ok(Self::without_dynamic(added::extended(self.tables(), added), limits, instances))
    }

    /// Returns this authority with further focus modes and roles, and limits of its own ones.
    ///
    /// # Errors
    /// If one of them cannot be added.
    pub fn with_modes(&self, added: &AddedModes) -> Result<Self, InvalidMode> {
        if added.is_empty() {
            return Ok(self.clone());
        }
        let (tables, limits) = modes::extended(self.tables(), added)?;
        Ok(Self::without_dynamic(tables, Arc::new(limits), self.0.instances.clone()))
    }

    /// Returns the selectors of added modes, each with its key: `focus.triage.deny`.
    pub(crate) fn mode_selectors(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.limits.selectors()
    }

    /// Returns this authority with the parameters that select instances, although those are not known yet: a command line reads
    /// its flags before it opens the application.
    #[must_use]
    pub fn with_instance_parameters(&self) -> Self {
        if self.tables().categories.iter().all(|category| category.instance.is_none()) {
            return self.clone();
        }
        let (limits, known) = (self.0.limits.clone(), self.0.instances.clone());
        Self::without_dynamic(instances::selecting(self.tables(), &[]), limits, known)
    }

    /// Returns this authority with dynamic operations, whose names are free. The positions of its own operations
    /// stay.
    pub(super) fn joined_by(&self, joined: &[Arc<Joined>]) -> Self {
        if joined.is_empty() {
            return self.clone();
        }
        let limits = self.0.limits.clone();
        let tables = limits.narrow(joining::joined_tables(self.tables(), joined));
        let (version, base) = (AuthorityVersion::next(), self.version());
        let instances = self.0.instances.clone();
        Self(Arc::new(Inner { tables, version, base, joined: joined.into(), limits, instances }))
    }

    /// Returns the instances that the application serves; empty if it serves only one without a policy of its own.
    pub fn instances(&self) -> &[Instance] {
        &self.0.instances
    }

    /// Returns its tables.
    pub fn tables(&self) -> &Tables {
        &self.0.tables
    }

    /// Returns its version.
    pub fn version(&self) -> AuthorityVersion {
        self.0.version
    }

    /// Returns the version of the authority without its dynamic operations.
    pub fn base(&self) -> AuthorityVersion {
        self.0.base
    }

    /// Returns the operation at this position of [`Self::tables`].
    ///
    /// # Panics
    /// If there is no operation at this position.
    pub fn operation(&self, index: usize) -> OperationHandle {
        assert!(index < self.tables().operations.len(), "the position is one of this authority's");
        OperationHandle { authority: self.clone(), index }
    }

    /// Returns the words by which searches find the operation at this position. Those of a dynamic operation are read from
    /// its texts at the first search.
    pub fn analysis(&self, index: usize, analyst: &mut Analyst) -> Analysis {
        if let Some(joined) = self.joined(index) {
            return joined.analysis(analyst).clone();
        }
        // The same release wrote these bytes. An operation whose bytes cannot be read is never found.
        let row = self.tables().operations.get(index);
        row.and_then(|row| Analysis::from_bytes(&row.analysis).ok()).unwrap_or_default()
    }

    /// Returns the dynamic operation at this position of the tables.
    fn joined(&self, index: usize) -> Option<&Joined> {
        let Inner { tables, joined, .. } = &*self.0;
        let first = tables.operations.len() - joined.len();
        joined.get(index.checked_sub(first)?).map(|joined| &**joined)
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
    pub fn row(&self) -> &Operation {
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
        self.authority.tables().providers.get(at).map(|provider| provider.name.as_str())
    }

    /// Returns the name of the provider that has added the operation.
    pub fn added_by(&self) -> Option<&str> {
        self.provider().filter(|_| self.row().is_dynamic)
    }

    /// Whether it is the operation of resources whose provider announces changes.
    pub fn announces_changes(&self) -> bool {
        self.joined().is_some_and(|joined| {
            matches!(joined.operation.offered, Offered::Resources { subscribe: true, .. })
        })
    }

    /// Returns the further fields of a dynamic operation's entry in a list of tools.
    pub fn tool_fields(&self) -> Option<&Map<String, Value>> {
        self.joined().map(|joined| &joined.operation.tool_fields)
    }

    /// Returns the schema of a dynamic operation's arguments; `None` for an operation with a field table.
    pub(crate) fn argument_schema(&self) -> Option<&ArgumentSchema> {
        self.joined().map(|joined| &*joined.arguments)
    }

    /// Returns how the arguments of a dynamic operation become those of the call to its provider; `None` if they stay.
    pub(crate) fn mapping(&self) -> Option<&ArgumentMapping> {
        let mapping = self.joined().map(|joined| &joined.operation.mapping);
        mapping.filter(|mapping| !mapping.is_empty())
    }

    /// Returns the fields that callers of a dynamic operation can select.
    pub(crate) fn selectable(&self) -> &[String] {
        self.joined().map_or(&[], |joined| &joined.selectable)
    }

    fn joined(&self) -> Option<&Joined> {
        self.authority.joined(self.index)
    }
}

impl fmt::Debug for OperationHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.row().id).finish()
    }
}
