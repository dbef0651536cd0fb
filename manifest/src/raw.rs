//! The manifest as written: every key read and every value of the right kind, each with its place.
//! Names are not looked up yet, and nothing is compared with anything else; `check` does that.

mod document;
mod merge;
mod read;
mod scalars;
mod unions;

pub(crate) use document::*;
pub(crate) use merge::Merged;
pub(crate) use read::{Entries, Entry, FromNode, Located};
pub(crate) use scalars::Weight;
#[cfg(feature = "schema")]
pub(crate) use scalars::{ByteSize, Period, Retries, SessionCalls, Threshold};
pub(crate) use unions::*;
