//! A readable snapshot of the expansion of a manifest that uses every feature.

use std::path::Path;

use crate::expand::expand;
use crate::tracking::Tracked;

#[test]
fn the_expansion_of_every_feature_is_readable_rust() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.join("../tests/ui/pass/everything.yaml");
    let authority = toolwrit_manifest::load(&root).expect("a good manifest");
    let files = Tracked::all(authority.sources(), Path::new(""));
    let home = package.parent().expect("the workspace").display().to_string();
    // Replaced before formatting, so that line breaks do not depend on the path of the workspace.
    let code = expand(&authority, &files).to_string().replace(&home, "");
    let file = syn::parse_file(&code).expect("Rust that parses");
    insta::assert_snapshot!("everything", prettyplease::unparse(&file));
}
