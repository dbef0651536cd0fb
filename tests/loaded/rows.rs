//! Rows are read as they were written, for every manifest that is compiled into a program here.

use std::path::Path;

use toolwrit_rows::{Tables, decode, encode};

/// From the folder of this crate.
const MANIFESTS: [&str; 16] = [
    "bindings/blog.yaml",
    "conformance/authority.yaml",
    "embedded/authority.yaml",
    "fuzz/authority.yaml",
    "guide/authority.yaml",
    "lab/authority.yaml",
    "loaded/desk.yaml",
    "plugins/authority.yaml",
    "shop/authority.yaml",
    "ui/pass/everything.yaml",
    "ui/pass/smallest.yaml",
    "../server/apis/jira/authority.yaml",
    "../server/apis/wordpress/authority.yaml",
    "../server/authority/authority.yaml",
    "../server/authority/gateway.yaml",
    "../server/engine/facade/examples/minimal/authority.yaml",
];

fn tables(manifest: &str) -> Tables {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(manifest);
    let manifest = toolwrit_manifest::load(&file).unwrap_or_else(|problems| panic!("{problems}"));
    toolwrit_manifest::rows::tables(&manifest, "1.2.3")
}

#[test]
fn rows_are_read_as_they_were_written() {
    for manifest in MANIFESTS {
        let tables = tables(manifest);
        assert_eq!(tables.server.version, "1.2.3");
        assert!(decode(&encode(&tables)).unwrap() == tables, "{manifest}");
    }
}

#[test]
fn bytes_that_are_cut_off_or_changed_are_an_error_or_other_rows() {
    let bytes = encode(&tables("ui/pass/everything.yaml"));
    // All of them take long without optimization.
    let places = || (0..bytes.len()).step_by(bytes.len() / 199);
    for length in places() {
        assert!(decode(&bytes[..length]).is_err(), "the first {length} bytes");
    }
    for at in places() {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        // Often text remains text.
        drop(decode(&changed));
    }
}
