//! What the manifest declares: parameters, results, one `Handlers` trait per category, `Tools`.

toolwrit::authority!("../authority/authority.yaml");
