//! Every row of a loaded authority equals the row that the macro writes for the same manifest.

use std::path::Path;

use toolwrit::generated::{Tables, Tools};

/// The programs whose manifests are compared. Only their tables are used.
macro_rules! programs {
    ($($name:ident $path:literal $app:ty, $manifest:literal;)*) => {$(
        #[allow(dead_code, unused_imports, unreachable_pub, clippy::pedantic)]
        #[path = $path]
        mod $name;

        #[test]
        fn $name() {
            same(<$name::Tools<$app> as Tools>::TABLES, $manifest);
        }
    )*};
}

programs! {
    blog "../bindings/blog.rs" (), "bindings/blog.yaml";
    desk "../loaded/desk.rs" (), "loaded/desk.yaml";
    everything "../ui/pass/everything.rs" everything::App, "ui/pass/everything.yaml";
    lab "../lab/main.rs" lab::Lab, "lab/authority.yaml";
    plugins "../plugins/main.rs" plugins::Host, "plugins/authority.yaml";
    shop "../shop/main.rs" shop::Shop, "shop/authority.yaml";
    smallest "../ui/pass/smallest.rs" smallest::Clock, "ui/pass/smallest.yaml";
}

/// Compares all rows. The first line that differs says which one.
fn same(compiled: &Tables, manifest: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(manifest);
    let manifest = toolwrit_manifest::load(&file).unwrap_or_else(|problems| panic!("{problems}"));
    let loaded = toolwrit_loader::load(&manifest, compiled.server.version);
    let [compiled, loaded] = [compiled, loaded.tables()].map(|tables| format!("{tables:#?}"));
    for (line, (compiled, loaded)) in compiled.lines().zip(loaded.lines()).enumerate() {
        assert_eq!(loaded, compiled, "line {line} of the tables");
    }
    assert_eq!(loaded.len(), compiled.len());
}
