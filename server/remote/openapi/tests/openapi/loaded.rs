//! Loads an imported manifest.

use std::io;

use toolwrit_manifest::{Authority, load_sources};
use toolwrit_openapi::Imported;

/// The authority, or the problems as text.
pub(crate) fn load(imported: &Imported) -> Result<Authority, String> {
    let read = |_: &str| io::Result::Ok(imported.manifest.clone());
    load_sources("manifest.yaml", read).map_err(|problems| {
        let problems: Vec<String> =
            problems.iter().map(|problem| problem.render(problems.sources())).collect();
        problems.join("\n")
    })
}
