//! What handlers return, and what of it callers get.

pub mod content;
pub(crate) mod cursor;
pub(crate) mod cut;
pub mod outcome;
pub mod page;
pub(crate) mod paging;
pub mod running;
pub(crate) mod shaping;
