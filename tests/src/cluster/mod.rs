//! Equal replicas of a server on one `PostgreSQL` behind haproxy, as programs of this machine.

mod balancer;
mod caller;
mod database;
mod machine;
mod replicas;

pub use balancer::sample;
pub use caller::{Caller, Heard, keyed};
pub use database::Database;
pub use replicas::{Cluster, Lone, NAMES};
