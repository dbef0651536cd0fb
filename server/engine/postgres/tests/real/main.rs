//! Replicas with a real `PostgreSQL`, which each test starts for itself.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod audit;
mod claims;
mod encrypted;
mod examined;
mod keys;
mod migrations;
mod pooler;
mod postgres;
mod served;
mod shared;
mod wire;
