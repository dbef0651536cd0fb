//! The manifest as written: every key with a value of the right kind, each with its place. Names
//! are looked up and values are compared in `check`.

mod command;
mod document;
mod http;
pub(crate) mod lock_file;
mod manifest;
mod mcp;
mod read;
mod scalars;
mod unions;

pub(crate) use command::*;
pub(crate) use document::*;
pub(crate) use http::*;
pub(crate) use manifest::RawManifest;
pub(crate) use mcp::*;
pub(crate) use read::{Entries, Entry, FromNode, Located};
pub(crate) use scalars::Weight;
#[cfg(feature = "schema")]
pub(crate) use scalars::{ByteSize, Period, Retries, SessionCallLimit, Threshold};
pub(crate) use unions::*;
