//! The command line: what it prints, to which stream, and with which exit code.
#![allow(clippy::expect_used, reason = "a fixture that fails must fail the test")]

mod authoring;
mod built;
mod call;
mod configuration;
mod doctor;
mod environment;
mod foreign;
mod importing;
mod installing;
mod limited;
mod looking;
mod manifests;
mod narrow;
mod own_log;
mod program;
mod stubs;
