//! Code generated from the manifest: parameters, results, one `Handlers` trait per category, and `Tools`.

toolwrit::authority!("../authority/authority.yaml");
