//! The notes that queries read, with their fields, links, tags and list items.
//!
//! A note is read once, and again after it has changed. Which files its links name is found again when the
//! files of the vault change.

mod collection;
mod csv;
mod draft;
mod file;
mod gathered;
mod inline;
mod items;
mod lines;
mod page;
mod record;
mod store;

pub(crate) use collection::Notes;
pub(super) use csv::rows;
pub(crate) use page::Page;
pub(super) use record::{NoteRecord, TaskRecord};
pub(super) use store::Store;
