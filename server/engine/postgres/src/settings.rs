//! What an operator chooses.

use std::ops::RangeInclusive;

use crate::address::Address;
use crate::key_file::KeyFile;

/// How a replica uses the database.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database, or a pooler before it.
    pub address: Address,
    /// The database itself, if `address` is a pooler that does not pass notices on. What it lacks, `address` says: the user
    /// with the password, and the name of the database.
    pub direct: Option<Address>,
    /// The keys that seal what clients carry between replicas; `None` for those of the database.
    pub keys: Option<KeyFile>,
    /// The name of this replica, as the audit and operators see it.
    pub replica: String,
    /// The most connections. One of them is kept for renewals.
    pub pool: usize,
    /// What happens if calls cannot be recorded.
    pub audit: AuditMode,
    /// The days for which calls are kept.
    pub audit_days: u32,
    /// The share of successful reads that is recorded, from 0 to 1. Other calls always are.
    pub sample_reads: f64,
    /// Not for operators: the schemas that this program supports, for tests of two versions side by side.
    #[doc(hidden)]
    pub schemas: RangeInclusive<u32>,
}

/// What happens if calls cannot be recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AuditMode {
    /// Calls go on. Records wait in memory, and beyond a number of them are dropped and counted.
    #[default]
    Buffered,
    /// Writes wait until they are recorded, and fail if they cannot be.
    Required,
}

impl Settings {
    /// The defaults, for this database. The replica has the name of its host.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            direct: None,
            keys: None,
            replica: host_name(),
            pool: 4,
            audit: AuditMode::default(),
            audit_days: 90,
            sample_reads: 1.0,
            schemas: crate::migrate::SUPPORTED,
        }
    }
}

impl Settings {
    /// Returns the address of the connection that listens.
    pub(crate) fn listening(&self) -> Address {
        let direct = self.direct.clone().map(|direct| direct.completed_by(&self.address));
        direct.unwrap_or_else(|| self.address.clone())
    }
}

/// The name of the machine, which is that of the pod in Kubernetes and that of the container in Compose.
fn host_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "replica".to_owned() } else { name }
}
