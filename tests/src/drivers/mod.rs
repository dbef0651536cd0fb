//! Clients of the servers under test, none of which uses an SDK.

pub mod benchmark;
pub mod client;
pub mod http;
pub mod socket;
