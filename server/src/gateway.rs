//! The authority that is served with the servers of others, if there is no vault.

toolwrit::authority!("../authority/gateway.yaml");
