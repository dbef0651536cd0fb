//! Metrics for Prometheus. Counting costs a few atomic additions per call: each series is found by the
//! position of its operation. Names that callers choose never become labels.

mod read;
mod upstreams;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use prometheus::core::Collector;
use prometheus::proto::MetricFamily;
use prometheus::{
    Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry,
    TextEncoder,
};

use crate::identity::Unidentified;
use toolwrit_core::audit::counters::Counters;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::Observer;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::{Authority, AuthorityVersion, OperationHandle, Tables};
use toolwrit_core::fault::Code;
use toolwrit_core::policy::Policy;

/// The media type of [`Metrics::render`]: the [text format], version 0.0.4.
///
/// [text format]: https://prometheus.io/docs/instrumenting/exposition_formats/
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// The label that names an operation.
const OPERATION: &str = "operation";
/// The label value of calls without an operation: listing, searching, or an unknown name. No operation
/// has this id, because ids contain a dot.
const NO_OPERATION: &str = "none";

/// All metrics.
pub struct Metrics {
    registry: Registry,
    calls: IntCounterVec,
    durations: HistogramVec,
    /// The series of the newest authority. Those of an older one are found by their labels.
    latest: RwLock<Arc<AllSeries>>,
    bytes_in: IntCounter,
    bytes_out: IntCounter,
    unidentified: IntCounterVec,
}

/// The series of an authority's operations.
struct AllSeries {
    authority: AuthorityVersion,
    /// By position; the last is for calls without an operation.
    operations: Vec<OnceLock<Series>>,
}

/// The series of one operation, created at its first call.
struct Series {
    duration: Histogram,
    /// By [`outcome`].
    outcomes: Box<[OnceLock<IntCounter>]>,
}

impl AllSeries {
    fn new(authority: &Authority) -> Self {
        let operations = 0..=authority.tables().operations.len();
        Self {
            authority: authority.version(),
            operations: operations.map(|_| OnceLock::new()).collect(),
        }
    }
}

impl Metrics {
    /// Creates metrics of the calls to an authority, the engine's counters, and the state.
    pub fn new(authority: &Authority, counters: &Counters, state: &State) -> Self {
        let registry = Registry::new();
        let info = add(&registry, info(authority.tables()));
        info.set(1);
        read::register(&registry, counters, state);
        Self {
            calls: add(&registry, calls()),
            durations: add(&registry, durations()),
            latest: RwLock::new(Arc::new(AllSeries::new(authority))),
            bytes_in: add(&registry, counter("argument_bytes", "Size of the arguments of calls.")),
            bytes_out: add(&registry, counter("result_bytes", "Size of the results of calls.")),
            unidentified: add(
                &registry,
                counters_by(
                    "unidentified",
                    "Requests refused for their credential, by reason.",
                    &["reason"],
                ),
            ),
            registry,
        }
    }

    /// Returns the series of an authority, created if it is new.
    fn series(&self, authority: &Authority) -> Arc<AllSeries> {
        let version = authority.version();
        let latest = self.latest.read().unwrap_or_else(PoisonError::into_inner).clone();
        if latest.authority == version {
            return latest;
        }
        let series = Arc::new(AllSeries::new(authority));
        let mut latest = self.latest.write().unwrap_or_else(PoisonError::into_inner);
        // A call to an older authority may end later, and must not replace newer series.
        if latest.authority < version {
            *latest = series.clone();
        }
        series
    }

    /// Counts a request without a valid credential. Returns the count for this reason.
    pub(crate) fn unidentified(&self, why: Unidentified) -> u64 {
        let counter = self.unidentified.with_label_values(&[why.as_str()]);
        counter.inc();
        counter.get()
    }

    /// Renders all metrics as text, without operations that the caller must not know.
    pub(crate) fn render(&self, policy: &Policy) -> String {
        let mut families = self.registry.gather();
        for family in &mut families {
            family.mut_metric().retain(|metric| {
                let label = metric.get_label().iter().find(|label| label.name() == OPERATION);
                label.is_none_or(|label| Self::may_see(policy, label.value()))
            });
        }
        families.extend(upstreams::families(policy));
        families.retain(|family| !MetricFamily::get_metric(family).is_empty());
        let mut text = String::new();
        // Writing to a string cannot fail, and families without metrics have been removed.
        let _ = TextEncoder::new().encode_utf8(&families, &mut text);
        text
    }

    fn may_see(policy: &Policy, id: &str) -> bool {
        match policy.tables().lookup(id) {
            Some(name) => policy.knows(usize::from(name.operation)),
            // Only operators may see operations that have been removed.
            None => id == NO_OPERATION || policy.is_operators(),
        }
    }
}

impl Observer for Metrics {
    fn ended(&self, call: &Record) {
        let tables = call.authority().tables();
        let all = self.series(call.authority());
        let at = call.operation.as_ref().map_or(tables.operations.len(), OperationHandle::index);
        let Some(series) = all.operations.get(at) else { return };
        let operation = tables.operations.get(at);
        let id = operation.map_or(NO_OPERATION, |operation| &operation.id);
        let series = series.get_or_init(|| Series {
            duration: self.durations.with_label_values(&[id]),
            outcomes: (0..outcomes(tables)).map(|_| OnceLock::new()).collect(),
        });
        // No outcome: the code is not declared by this authority.
        let Some(outcome) = outcome(tables, call.failure.as_ref()) else { return };
        let calls = series.outcomes[outcome].get_or_init(|| {
            let effect = operation.map_or(NO_OPERATION, |operation| operation.effect.as_str());
            let outcome = call.failure.as_ref().map_or("ok", Code::as_str);
            self.calls.with_label_values(&[id, effect, outcome])
        });
        calls.inc();
        series.duration.observe(call.duration.as_secs_f64());
        self.bytes_in.inc_by(call.bytes_in as u64);
        self.bytes_out.inc_by(call.bytes_out as u64);
    }
}

/// The number of outcomes of a call, which bounds the labels.
fn outcomes(tables: &Tables) -> usize {
    1 + Code::BUILT_IN.len() + tables.errors.len()
}

/// The position of an outcome: success, then built-in codes, then declared ones. `None` for other codes.
fn outcome(tables: &Tables, failure: Option<&Code>) -> Option<usize> {
    Some(match failure {
        None => 0,
        Some(Code::Declared(code)) => {
            let mut errors = tables.errors.iter();
            1 + Code::BUILT_IN.len() + errors.position(|error| error.code == code.as_str())?
        }
        Some(code) => 1 + Code::built_in_names().position(|name| name == code.as_str())?,
    })
}

fn calls() -> IntCounterVec {
    counters_by(
        "calls",
        "Calls that ended, by operation, its effect, and `ok` or the code of the failure.",
        &[OPERATION, "effect", "outcome"],
    )
}

fn durations() -> HistogramVec {
    let options = HistogramOpts::new(
        "toolwrit_call_duration_seconds",
        "Duration of calls in seconds, from the gate to the outcome.",
    );
    well_named(HistogramVec::new(options.buckets(BUCKETS.to_vec()), &[OPERATION]))
}

/// The server's name and version, as labels.
fn info(tables: &Tables) -> IntGauge {
    let options = options("info", "The name and version of the server; always 1.")
        .const_label("server", &tables.server.name)
        .const_label("version", &tables.server.version);
    well_named(IntGauge::with_opts(options))
}

/// A counter, whose name gets the conventional suffix `_total`.
fn counter(name: &str, help: &str) -> IntCounter {
    well_named(IntCounter::with_opts(options(&format!("{name}_total"), help)))
}

fn counters_by(name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    well_named(IntCounterVec::new(options(&format!("{name}_total"), help), labels))
}

fn options(name: &str, help: &str) -> Opts {
    Opts::new(name, help).namespace("toolwrit")
}

fn add<C: Collector + Clone + 'static>(registry: &Registry, collector: C) -> C {
    well_named(registry.register(Box::new(collector.clone())));
    collector
}

#[expect(clippy::expect_used, reason = "all names and labels are constants, each used once")]
fn well_named<T>(series: prometheus::Result<T>) -> T {
    series.expect("names of metrics are valid and unique")
}
