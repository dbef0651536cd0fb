//! Code generated from the manifest: parameters, results, one `Handlers` trait per category, and `Tools`.

toolwrit::authority!("../authority/authority.yaml");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toolwrit::generated::Tools as _;

    use super::Tools;
    use crate::app::Vaults;

    #[test]
    fn the_manifest_loaded_at_run_time_is_the_same_authority() {
        let compiled = Tools::<Vaults>::TABLES;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("authority/authority.yaml");
        let manifest =
            toolwrit_manifest::load(&file).unwrap_or_else(|problems| panic!("{problems}"));
        let loaded = toolwrit_loader::load(&manifest, compiled.server.version);
        let [compiled, loaded] = [compiled, loaded.tables()].map(|tables| format!("{tables:#?}"));
        for (line, (compiled, loaded)) in compiled.lines().zip(loaded.lines()).enumerate() {
            assert_eq!(loaded, compiled, "line {line} of the tables");
        }
        assert_eq!(loaded.len(), compiled.len());
    }
}
