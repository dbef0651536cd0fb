//! The manifest that an authority was generated from, as the macro kept it.

use std::io;

use toolwrit_manifest::Problems;

use super::Authority;

impl Authority {
    /// Loads it. It was valid when it was compiled, and may not be for another version of the language.
    pub(crate) fn manifest(&self) -> Result<toolwrit_manifest::Authority, Problems> {
        let root = self.sources.first().map_or("", |source| source.path);
        // Files are read in the order in which the macro kept them.
        let mut sources = self.sources.iter();
        toolwrit_manifest::load_sources(root, |_| {
            let source = sources.next().ok_or(io::ErrorKind::NotFound)?;
            Ok(source.text.to_owned())
        })
    }
}
