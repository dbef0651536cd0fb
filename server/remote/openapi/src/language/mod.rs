//! The manifest language, as far as an import writes it: its types, names and texts, as YAML.

pub(crate) mod matching;
pub(crate) mod names;
pub(crate) mod shape;
pub(crate) mod text;
pub(crate) mod written;
pub(crate) mod yaml;
