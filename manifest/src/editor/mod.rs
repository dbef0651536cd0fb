//! What editors know of the language: its schema, and which of its texts are names.

mod references;
mod schema;

pub use references::{KEY_REFERENCES, REFERENCES, Reference, key_reference, reference};
pub use schema::editor_schema;
