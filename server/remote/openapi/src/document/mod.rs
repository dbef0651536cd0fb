//! The document of an API, read with tolerance: its parts, its references, and the operations that are asked for.

pub(crate) mod documents;
pub(crate) mod endpoint;
pub(crate) mod node;
pub(crate) mod overlay;
pub(crate) mod schema;
pub(crate) mod selection;
pub(crate) mod swagger;
