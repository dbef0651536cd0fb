//! What several replicas of a server share, in `PostgreSQL`: the state of calls, limits, confirmation tokens, keys and
//! notices. Replicas are equal, so that any of them may answer any call.
//!
//! `replica` owns the thread on which everything here runs, and `store` and `shared` pass on what calls ask for. `lease` says
//! whether this replica may start calls, `claims` has the calls with a key, `audit` the recorded calls, and `listed` the
//! costs of listings. `limits`, `tokens`, `keys` (with `key_file`), `notices`, `leases` and `kept` have what `shared` needs, and
//! `sealed` hides the secrets among it. `migrate` brings the schema, `schema/`, to the version of this program, and `janitor`
//! deletes what has expired.
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
mod examine;
mod janitor;
mod kept;
mod key_file;
mod keys;
mod lease;
mod leases;
mod limits;
mod listed;
mod migrate;
mod notices;
mod read;
mod replica;
mod sealed;
mod settings;
mod shared;
mod store;
mod tls;
mod tokens;

pub use address::{Address, BadAddress};
pub use database::Failed;
pub use examine::{Problem, Report, examine};
pub use key_file::{BadKeyFile, KeyFile};
pub use migrate::Unusable;
pub use read::{calls, listing_costs, reset_listing_costs};
pub use replica::Replica;
pub use settings::{AuditMode, Settings};
pub use store::{Schema, Status};
