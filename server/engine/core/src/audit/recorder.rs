//! Records every call: in the audit, the counters, spans and an observer.

use std::sync::Arc;

use crate::audit::call_totals::CallTotals;
use crate::audit::counters::Counters;
use crate::audit::record::Record;
use crate::audit::savings::Savings;
use crate::audit::storage::State;
use crate::caller::trace_parent::TraceParent;

/// Gets every call that has ended.
pub trait Observer: Send + Sync {
    /// Receives a call that has ended. Must be quick, because the caller is waiting.
    fn ended(&self, record: &Record);
}

/// Follows calls as spans of a distributed trace.
pub trait Tracer: Send + Sync {
    /// Begins the span of a call, as a child of the span that made the call.
    fn begin(&self, parent: Option<TraceParent>) -> Box<dyn OpenSpan>;
}

/// The span of a call that has not ended.
pub trait OpenSpan: Send + Sync {
    /// Returns the parent for the call's own requests to other servers.
    fn context(&self) -> Option<TraceParent>;

    /// Ends the span with the record of the call.
    fn end(&mut self, record: &Record);
}

/// Passes calls to the audit, the counters, the observer and the tracer.
#[derive(Clone, Default)]
pub struct Recorder {
    /// Keeps the audit and idempotency keys.
    pub state: State,
    /// The counters of the pipeline.
    pub counters: Counters,
    /// The calls of each operation.
    pub calls: CallTotals,
    /// What tool listings cost.
    pub savings: Savings,
    /// The name of what is served; `None` if it has none, or each call selects one of several.
    pub(crate) served: Option<Arc<str>>,
    observer: Option<Arc<dyn Observer>>,
    tracer: Option<Arc<dyn Tracer>>,
}

impl Recorder {
    /// Creates a recorder that stores calls in this state.
    pub fn new(state: State) -> Self {
        let savings = Savings::new(state.clone());
        Self { state, savings, ..Self::default() }
    }

    /// Records the calls that select nothing as calls on what has this name.
    #[must_use]
    pub(crate) fn of_served(self, name: Option<&str>) -> Self {
        Self { served: name.map(Into::into), ..self }
    }

    /// Also passes each call to this observer.
    #[must_use]
    pub fn observed_by(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// Also follows calls with this tracer, if there is one.
    #[must_use]
    pub fn traced_by(self, tracer: Option<Arc<dyn Tracer>>) -> Self {
        Self { tracer, ..self }
    }

    /// Begins the span of a call; `None` without a tracer.
    pub(crate) fn begin(&self, parent: Option<TraceParent>) -> Option<Box<dyn OpenSpan>> {
        self.tracer.as_ref().map(|tracer| tracer.begin(parent))
    }

    /// Records a call that has ended.
    pub(crate) fn ended(&self, record: Record) {
        record.trace();
        self.calls.add(&record);
        if let Some(observer) = &self.observer {
            observer.ended(&record);
        }
        self.state.record(record);
    }
}
