//! The rows of a manifest that uses every feature.

use std::path::Path;
use std::sync::Arc;

use toolwrit_manifest::{load, rows};
use toolwrit_rows::{Operation, Tables};

#[test]
fn the_rows_of_every_feature() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/pass/everything.yaml");
    let authority = load(&root).unwrap_or_else(|problems| panic!("{problems}"));
    let tables = rows::tables(&authority, "1.2.3");
    assert!(tables.operations.iter().any(|operation| !operation.analysis.is_empty()));
    // What is left out here is bytes, or a copy of the files.
    let operations = tables.operations.iter().map(|operation| {
        Arc::new(Operation { analysis: Vec::new(), ..Operation::clone(operation) })
    });
    let shown =
        Tables { operations: operations.collect(), sources: Arc::default(), ..tables.clone() };
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}
