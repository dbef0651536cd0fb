//! The expansion of a manifest that uses everything, for people to read.

use std::path::Path;

use crate::expand::expand;
use crate::tracking::Tracked;

#[test]
fn the_expansion_reads_like_the_code_it_is() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.join("../tests/ui/pass/everything.yaml");
    let authority = toolwrit_manifest::load(&root).expect("a good manifest");
    let files = Tracked::all(authority.sources(), Path::new(""));
    let tokens = expand(&authority, &files);
    let file = syn::parse2(tokens).expect("Rust that parses");
    let home = package.parent().expect("the workspace").display().to_string();
    let code = prettyplease::unparse(&file).replace(&home, "");
    insta::assert_snapshot!("everything", code);
}
