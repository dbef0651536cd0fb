//! A file per category, mirroring `manifest/operations/`, and what several of them share.

mod active;
mod faults;
mod note;
mod vault;
