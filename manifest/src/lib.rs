//! The language of the tool-authority manifest: YAML in, a checked [`Authority`] out.
//!
//! The data flows one way. [`load`] reads the root file and the included files (`yaml`), turns the
//! text into typed values with their places (`raw`), checks every rule and builds the model
//! (`check`). Errors are a list of [`Problem`]s, each with its place in the YAML.
//!
//! [`wire`] lowers parameter shapes to portable JSON Schema, [`signature`] writes the one-line form
//! that models read.

mod authority;
mod check;
#[cfg(feature = "emit")]
pub mod emit;
pub mod example;
mod expression;
mod fits;
mod hidden;
mod load;
mod lock_file;
mod model;
pub mod names;
mod narrow;
mod older_call;
mod orders;
mod plain_scalar;
pub mod policy;
mod problem;
mod raw;
#[cfg(feature = "schema")]
pub mod references;
mod report;
#[cfg(feature = "schema")]
pub mod schema;
mod search_texts;
pub mod signature;
mod source;
mod suspicions;
mod unquoted;
pub mod wire;
mod yaml;

pub use authority::Authority;
pub use fits::{Mismatch, fits};
pub use load::{MAX_BYTES, has_changed, load, load_edited, load_kept, load_sources};
pub use model::*;
pub use narrow::{LeftOut, View};
pub use older_call::{OlderCall, older_call};
pub use problem::{Problem, Problems, Severity};
pub use search_texts::SearchTexts;
pub use source::{Place, Source, Sources};
pub use suspicions::{Suspicion, suspicions};
