//! Equal replicas of a server on one PostgreSQL, behind haproxy: what they must agree on, and what each kind of failure costs.
//!
//! Every replica is a process of `ledger`, whose writes append lines to a file that all share. A line that is there twice was
//! written by a call that was done twice.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod apis;
mod away;
mod clocks;
mod conformance;
mod deployment;
mod incidents;
mod keyed;
mod pages;
mod pauses;
mod rates;
mod rollout;
mod seen;
mod tokens;
mod vault;
mod writers;
