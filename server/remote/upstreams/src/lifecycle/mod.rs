//! The life of an upstream: it is started, watched, started again after failures, and stopped. Nothing waits for
//! its start, and calls in flight fail when it ends.

mod event;
mod figures;
mod recovery;
mod start_slots;
mod status;
mod supervision;
mod upstream;

use std::sync::Arc;

use crate::model::Definition;
use crate::process::Guard;
pub use event::{Event, Observer};
pub use figures::Figures;
use start_slots::StartSlots;
pub use status::{State, Status};
use supervision::Supervision;
pub use upstream::Upstream;

/// Supervises upstreams. Programs that it starts end with this process, also when that is killed.
#[derive(Clone)]
pub struct Supervisor {
    guard: Arc<Guard>,
    slots: StartSlots,
    observer: Arc<dyn Observer>,
}

impl Supervisor {
    /// Creates a supervisor that tells an observer what happens.
    pub fn new(observer: Arc<dyn Observer>) -> Self {
        Self { guard: Arc::default(), slots: StartSlots::default(), observer }
    }

    /// Supervises an upstream in a task of its own, until its last handle is dropped. Returns at once.
    ///
    /// # Panics
    /// Outside a runtime of tokio.
    pub fn supervise(&self, definition: Definition) -> Upstream {
        let definition = Arc::new(definition);
        let Self { guard, slots, observer } = self.clone();
        let (supervision, upstream) = Supervision::new(definition, guard, slots, observer);
        tokio::spawn(supervision.run());
        upstream
    }
}

impl Default for Supervisor {
    /// Creates a supervisor without an observer.
    fn default() -> Self {
        Self::new(Arc::new(event::Unobserved))
    }
}
