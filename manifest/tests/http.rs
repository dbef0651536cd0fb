//! Operations that are bound to HTTP APIs.
#![expect(clippy::unwrap_used, reason = "a fixture that does not load must fail the test")]

use std::path::Path;

use serde_json::Value;
use toolwrit_manifest::{Authority, load};

fn fixture(name: &str) -> Authority {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/bindings").join(name);
    load(&path).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The table of an operation.
fn table(authority: &Authority, id: &str) -> Value {
    let operation = authority.operations.iter().find(|operation| operation.id == id).unwrap();
    operation.http.as_ref().unwrap().table.clone()
}

#[test]
fn a_manifest_becomes_tables() {
    for (file, name) in [("blog.yaml", "wordpress"), ("tickets.yaml", "jira")] {
        let authority = fixture(file);
        assert_eq!(
            authority.warnings().iter().map(|p| p.message()).collect::<Vec<_>>(),
            Vec::<&str>::new()
        );
        let provider = &authority.providers[0];
        assert_eq!(provider.name, name);
        println!("{}", provider.http.as_ref().unwrap().table);
        for operation in &authority.operations {
            println!("{} {}", operation.id, table(&authority, &operation.id));
        }
    }
}
