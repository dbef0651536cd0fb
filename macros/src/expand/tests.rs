//! A readable snapshot of the expansion of a manifest that uses every feature, without its rows.

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
    let code = expand(&authority, b"rows", &files).to_string().replace(&home, "");
    let file = syn::parse_file(&code).expect("Rust that parses");
    insta::assert_snapshot!("everything", prettyplease::unparse(&file));
}

/// `note.tag_list` and `note-tag.list` are alike once their marks are gone.
#[test]
fn operations_with_similar_ids_have_calls_of_their_own() {
    let yaml = "toolwrit: 1\nserver: { name: x }\n\
                categories: { note: { summary: A. }, note-tag: { summary: B., tool: tags } }\n\
                operations:\n  note.tag_list: { summary: C., effect: read }\n  \
                note-tag.list: { summary: D., effect: read }\n";
    let authority =
        toolwrit_manifest::load_sources("a.yaml", |_| Ok(yaml.to_owned())).expect("it loads");
    let file = syn::parse2::<syn::File>(expand(&authority, &[], &[])).expect("Rust that parses");
    let Some(syn::Item::Const(tables)) = file.items.last() else { panic!("the engine's items") };
    let syn::Expr::Block(block) = &*tables.expr else { panic!("a block of items") };
    let functions = block.block.stmts.iter().filter_map(|statement| match statement {
        syn::Stmt::Item(syn::Item::Fn(function)) => Some(function.sig.ident.to_string()),
        _ => None,
    });
    let functions: Vec<String> = functions.collect();
    let unique: std::collections::HashSet<_> = functions.iter().collect();
    assert_eq!((functions.len(), unique.len()), (2, 2), "{functions:?}");
}
