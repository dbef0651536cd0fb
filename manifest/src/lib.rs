//! The language of the tool-authority manifest: YAML in, a checked [`Authority`] out.
//!
//! The data flows one way. [`load`] reads the root file and the included files (`yaml`), turns the
//! text into typed values with their places (`raw`), checks every rule and builds the model
//! (`check`). Errors are a list of [`Problem`]s, each with its place in the YAML.
//!
//! From text to model:
//!
//! - `load` reads the files, with what they include, and makes an [`Authority`].
//! - `yaml` parses a tree of nodes with their places.
//! - `raw` gives the nodes types, and reads the tools of a lock file (`raw/lock_file`).
//! - `check`, with a folder for each part of the language, builds the model. `check/names` looks names up and compares
//!   them. `check/bindings` turns bindings into the tables of `toolwrit-bindings`, as JSON, and compares operations with
//!   the tools of a lock file.
//! - `diagnostics` has the problems, and the texts and places that they refer to.
//! - `injection` finds texts that are meant for models and not for people: hidden characters and orders. For those who
//!   approve a tool of another server, it says what is worth a look.
//!
//! The model, and what reads it:
//!
//! - `model` is what a manifest declares. `model/builtin` defines the operations that the engine carries out.
//! - [`policy`] says which operations focus modes and roles allow. `narrow` removes what a caller may not see.
//! - `values` says whether a JSON value fits a type, and makes example calls and calls by older names.
//! - [`interface`] describes operations to models: as portable JSON Schemas, and in one line.
//! - [`rows`] makes the tables that servers use, [`rust_names`] the names in generated Rust.
//! - `emit` writes an authority as YAML.
//! - `editor` is the schema of the language for editors, and says which of its texts are names.
//!
//! `include` takes no file patterns, so that a file that is merely in a folder has no effect. The parser is
//! granit-parser, which gives events, because a deserializer stops at its first error, and an author should see all
//! problems at once. `yaml_serde` accepts duplicate keys, so it writes manifests and does not read them.

mod authority;
mod check;
mod diagnostics;
#[cfg(feature = "schema")]
pub mod editor;
#[cfg(feature = "emit")]
pub mod emit;
mod injection;
pub mod interface;
mod load;
mod model;
mod narrow;
pub mod policy;
mod raw;
pub mod rows;
pub mod rust_names;
mod values;
mod yaml;

pub use authority::Authority;
pub use diagnostics::{Place, Problem, Problems, Severity, Source, Sources};
pub use injection::{Suspicion, suspicions};
pub use load::{MAX_BYTES, has_changed, load, load_edited, load_kept, load_sources};
pub use model::*;
pub use narrow::{LeftOut, View};
pub use values::{Mismatch, OlderCall, example, fits, older_call};
