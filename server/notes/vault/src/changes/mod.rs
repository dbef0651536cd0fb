//! Changing files: one writer at a time, and each change as a whole or not at all.

pub(crate) mod collected;
pub(crate) mod history;
pub(crate) mod journal;
pub(crate) mod lock;
mod single;
pub(crate) mod trash;
