//! The command line, from outside: what it prints, where, and with which exit code.
#![allow(missing_docs, reason = "tests")]

mod authoring;
mod call;
mod looking;
mod program;
mod stubs;
