//! A site for one kind of caller.

use std::fs;
use std::path::Path;

use crate::site::built;

fn text(site: &Path, path: &str) -> String {
    fs::read_to_string(site.join(path)).unwrap()
}

#[test]
fn a_site_for_a_role_has_what_that_role_may_know() {
    let site = built(&["--role", "reader"]);
    let site = site.path();
    assert!(site.join("operations/vault/read.html").is_file());
    assert!(!site.join("operations/vault/delete.html").exists());
    assert!(site.join("reference/roles/reader.html").is_file());
    assert!(!site.join("reference/roles/owner.html").exists());
    for path in ["search-index.js", "llms.txt", "reference/policy.html", "operations/vault.md"] {
        assert!(!text(site, path).contains("vault.delete"), "{path}");
    }
}

#[test]
fn a_site_for_a_focus_mode_has_its_operations() {
    let site = built(&["--focus", "content-editing"]);
    let site = site.path();
    assert!(site.join("operations/vault/write.html").is_file());
    assert!(!site.join("operations/vault/delete.html").exists());
}
