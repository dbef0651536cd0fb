//! Records every call: in the audit, the counters, spans and an observer.

use std::sync::Arc;

use crate::counters::Counters;
use crate::record::Record;
use crate::storage::State;
use crate::trace_parent::TraceParent;

/// Learns of every call that has ended.
pub trait Observer: Send + Sync {
    /// A call has ended. Must be quick: the caller waits.
    fn ended(&self, record: &Record);
}

/// Follows calls as spans of a distributed trace.
pub trait Tracer: Send + Sync {
    /// Begins the span of a call, below the span that made the call.
    fn begin(&self, parent: Option<TraceParent>) -> Box<dyn Span>;
}

/// A call that is being followed.
pub trait Span: Send + Sync {
    /// What the call's own calls belong to.
    fn context(&self) -> Option<TraceParent>;

    /// Ends the span, with what became of the call.
    fn end(&mut self, record: &Record);
}

/// Where calls leave their traces. Cheap to clone.
#[derive(Clone, Default)]
pub struct Recorder {
    /// Keeps the audit and idempotency keys.
    pub state: State,
    /// What the pipeline counts.
    pub counters: Counters,
    observer: Option<Arc<dyn Observer>>,
    tracer: Option<Arc<dyn Tracer>>,
}

impl Recorder {
    /// Records calls in this state.
    pub fn new(state: State) -> Self {
        Self { state, ..Self::default() }
    }

    /// Tells this observer of each call, too.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Follows calls with this tracer, if there is one.
    #[must_use]
    pub fn traced_by(self, tracer: Option<Arc<dyn Tracer>>) -> Self {
        Self { tracer, ..self }
    }

    /// Begins the span of a call; none where calls are not followed.
    pub(crate) fn begin(&self, parent: Option<TraceParent>) -> Option<Box<dyn Span>> {
        self.tracer.as_ref().map(|tracer| tracer.begin(parent))
    }

    /// A call has ended.
    pub(crate) fn ended(&self, record: Record) {
        record.trace();
        if let Some(observer) = &self.observer {
            observer.ended(&record);
        }
        self.state.record(record);
    }
}
