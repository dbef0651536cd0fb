//! A file per category, mirroring `manifest/operations/`, and what several of them share.

mod note;
mod vault;
