//! Manifests: which files are one, and what the client is told about them.

mod check;
mod completion;
mod files;
mod language;
mod lookup;

pub(crate) use check::check_manifest;
pub(crate) use completion::complete;
pub(crate) use files::{Belonging, Manifest, find_manifest};
pub(crate) use language::Language;
pub(crate) use lookup::{define, hover};
