//! The state that several replicas of a server share, in `PostgreSQL`: the audit, the answers to calls with an idempotency
//! key, and the costs of tool listings. Replicas are equal, so that any of them may answer any call.
//!
//! `replica` owns the thread on which everything here runs, and `store` passes on what calls ask for. `lease` says whether
//! this replica may start calls, `claims` has the calls with a key, `audit` the recorded calls, and `listed` the costs of
//! listings. `migrate` brings the schema, `schema/`, to the version of this program, and `janitor` deletes what has expired.
//! `database` sends statements, to the place that `address` names, over connections that `tls` protects.
//!
//! The statements are sent through tokio-postgres without preparing them, so that a pooler may stand between. sqlx cannot be
//! resolved beside the `SQLite` of `toolwrit-state`.
#![warn(missing_docs)]

mod address;
mod audit;
mod claims;
mod clock;
mod database;
mod janitor;
mod lease;
mod listed;
mod migrate;
mod read;
mod replica;
mod settings;
mod store;
mod tls;

pub use address::{Address, BadAddress};
pub use database::Failed;
pub use migrate::Unusable;
pub use read::{calls, listing_costs, reset_listing_costs};
pub use replica::Replica;
pub use settings::{AuditMode, Settings};
pub use store::{Schema, Status};
