//! What belongs to a call until the last of its work has ended.

use std::any::Any;
use std::sync::Arc;

/// What a call keeps until the last of its work has ended. Blocking work has a clone, for it may go on
/// after the call was answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(Vec<Arc<dyn Any + Send + Sync>>);

impl Held {
    /// Keeps one thing more, which is dropped with the last clone.
    pub(crate) fn keep(&mut self, thing: impl Any + Send + Sync) {
        self.0.push(Arc::new(thing));
    }
}
