//! Guards that a call holds until the last of its work has ended.

use std::any::Any;
use std::sync::Arc;

/// The guards of a call, such as permits. Blocking work holds a clone, because it may continue after the call
/// was answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Held(Vec<Arc<dyn Any + Send + Sync>>);

impl Held {
    /// Adds a guard, which is dropped with the last clone.
    pub(crate) fn keep(&mut self, guard: impl Any + Send + Sync) {
        self.0.push(Arc::new(guard));
    }
}
