//! What the manifest declares: parameters, results, one `Handlers` trait per category, `Tools`.

toolwrit::authority!("../../manifest/authority.yaml");
