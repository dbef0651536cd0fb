//! Texts that are meant for models and not for people: hidden characters, and orders to models.

pub(crate) mod hidden;
pub(crate) mod orders;
mod suspicions;

pub use suspicions::{Suspicion, suspicions};
