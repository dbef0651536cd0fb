//! What a caller asks of an import.

use std::path::PathBuf;

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Operations by `operationId`, by method and path (`GET /pets`), or by a pattern with `*`; all if empty. An entry
    /// may have several, separated by commas.
    pub only: Vec<String>,
    /// The category of all operations. Their first tag unless given.
    pub category: Option<String>,
    /// Hosts beside the document's own from which others may be read.
    pub allowed_hosts: Vec<String>,
    /// Files with overlays of the document, which change it in this order.
    pub overlays: Vec<PathBuf>,
}
