//! A file per category, mirroring `manifest/operations/`.

mod vault;
