//! Writes the first manifest of an HTTP API from its `OpenAPI` document, or of an MCP server from its tools (`tools`).
//!
//! The data flows one way. `documents` reads the document and those to which it refers, `node` and `schema` read them
//! with tolerance, `endpoint`, `selection` and `naming` find the operations, `types`, `parameters`, `body`, `answer` and
//! `page` turn them into what the manifest language can say, and `manifest` writes it as `yaml`. What it cannot say is
//! a [`Loss`].
//!
//! The reader works on plain JSON values rather than on a typed model of `OpenAPI`: documents in use break their own
//! specification at many points, and a typed reader refuses the whole document for one of them.

mod conversion;
mod document;
mod language;
mod losses;
mod manifest;
mod options;
mod tools;

pub use document::documents::ImportError;
pub use losses::{Kind, Loss, count_by_kind};
pub use options::Options;
pub use tools::{ServerAddress, ToolServer, import_tools};

use document::documents::{self, Documents};
use losses::Losses;

/// A manifest, and what it lacks.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The manifest as YAML.
    pub manifest: String,
    /// How many operations it has.
    pub operations: usize,
    /// How many types it declares.
    pub types: usize,
    /// What the document says and the manifest does not, by location.
    pub losses: Vec<Loss>,
}

/// Imports a document from a file, or from a URL that begins with `http://` or `https://`.
///
/// # Errors
/// If it cannot be read, is neither `OpenAPI` 3 nor Swagger 2.0, or has none of the operations that are asked for.
pub fn import(source: &str, options: &Options) -> Result<Imported, ImportError> {
    let mut losses = Losses::default();
    let documents = Documents::read(source, options, &mut losses)?;
    manifest::write_manifest(source, &documents, options, losses)
}

/// Imports a document from its text. References to other documents lead nowhere.
///
/// # Errors
/// As [`import`].
pub fn import_text(text: &str, options: &Options) -> Result<Imported, ImportError> {
    let name = "the document".to_owned();
    let mut value = documents::parse(text)
        .map_err(|why| ImportError::Unreadable { name: name.clone(), why })?;
    let mut losses = Losses::default();
    documents::apply_overlays(&mut value, options, &mut losses)?;
    manifest::write_manifest(&name, &Documents::from_value(value), options, losses)
}
