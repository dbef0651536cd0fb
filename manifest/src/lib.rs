//! The language of the tool-authority manifest: YAML in, a checked [`Authority`] out.
//!
//! The data flows one way. [`load`] reads the root file and the included files (`yaml`), turns the
//! text into typed values with their places (`raw`), checks every rule and builds the model
//! (`check`). Errors are a list of [`Problem`]s, each with its place in the YAML.
//!
//! [`wire`] lowers parameter shapes to portable JSON Schema, [`signature`] writes the one-line form
//! that models read.
//!
//! `yaml` parses a tree of nodes with their positions, `raw` gives the nodes types, and `check`, with a file for each
//! group of rules, builds `model`. `check/bindings` turns bindings into the tables of `toolwrit-bindings`, as JSON, and
//! compares operations with the tools of a lock file (`lock_file`). `model/builtin` defines the operations that the
//! engine carries out.
//!
//! The other modules read the model: `emit` writes an authority as YAML, `narrow` removes what a caller may not see,
//! `older_call` writes calls by older names beside current ones, `schema` is the schema of the language for editors,
//! `references` says which of its texts are names, and `suspicions` finds what is worth a look in the texts of another
//! server's tool.
//!
//! `include` takes no file patterns, so that a file that is merely in a folder has no effect. The parser is
//! granit-parser, which gives events, because a deserializer stops at its first error, and an author should see all
//! problems at once. `yaml_serde` accepts duplicate keys, so it writes manifests and does not read them.

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
pub mod rows;
#[cfg(feature = "schema")]
pub mod schema;
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
pub use source::{Place, Source, Sources};
pub use suspicions::{Suspicion, suspicions};
