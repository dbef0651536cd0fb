//! Conversations in notes, with models that follow a script and tools that count, and with models behind servers on this
//! machine.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod acting;
#[cfg(feature = "remote")]
mod answers;
mod consent;
mod crashing;
mod desk;
mod dialects;
mod editing;
#[cfg(feature = "remote")]
mod endpoints;
mod formats;
mod formatters;
mod hostile;
mod inert;
mod installed;
mod limits;
#[cfg(feature = "remote")]
mod offered;
mod older;
#[cfg(feature = "remote")]
mod providers;
mod resuming;
#[cfg(feature = "remote")]
mod streams;
mod turns;
mod vault_text;
#[cfg(feature = "remote")]
mod vendors;
