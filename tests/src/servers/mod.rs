//! Stand-ins for the servers of others. The scripted servers that they are made of are in a crate of their own,
//! `toolwrit-test-servers`.

pub mod issuer;
pub mod model;
