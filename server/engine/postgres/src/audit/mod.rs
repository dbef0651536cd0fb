//! The calls that are recorded.

pub(crate) mod queue;
pub(crate) mod select;
pub(crate) mod write;
