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
    let home = package.parent().expect("the workspace").display().to_string();
    // Before the lines are broken: where they break must not depend on where the workspace lies.
    let code = expand(&authority, &files).to_string().replace(&home, "");
    let file = syn::parse_file(&code).expect("Rust that parses");
    insta::assert_snapshot!("everything", prettyplease::unparse(&file));
}
