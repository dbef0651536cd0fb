//! Metrics whose values the engine keeps. They are read at each scrape.

use prometheus::Registry;
use prometheus::core::{Collector, Desc};
use prometheus::proto::{self, LabelPair, MetricFamily, MetricType};

use super::{options, well_named};
use toolwrit_core::audit::counters::{Backlog, Counter, Counters, Gauge};
use toolwrit_core::audit::storage::State;
use toolwrit_core::shared::ReplicaFigures;

/// A metric that reads its values from the engine.
struct ReadMetric {
    desc: Desc,
    label: Option<&'static str>,
    values: MetricValues,
}

enum MetricValues {
    /// Of a replica; none before it is known.
    Replica(State, fn(&ReplicaFigures) -> Option<f64>),
    Gauge(Gauge),
    /// Each with the value of its label.
    Counters(Vec<(&'static str, Counter)>),
}

/// Registers the engine's counters and the audit's backlog.
pub(super) fn register(registry: &Registry, counters: &Counters, state: &State) {
    let Counters { handlers, waiting, retries, .. } = counters;
    let refused = [
        ("rate", &counters.refused_by_rate),
        ("session", &counters.refused_by_session),
        ("queue", &counters.refused_by_queue),
    ];
    let cache = [("hit", &counters.cache_hits), ("miss", &counters.cache_misses)];
    let mut all = vec![
        gauge("handlers", "Handlers running now.", handlers),
        gauge("waiting", "Calls waiting for a free handler slot.", waiting),
        counter("retries", "Handler runs repeated after a failure.", retries),
        by_label("refused", "Calls refused because of a limit, by limit.", "limit", refused),
        by_label("cache", "Cacheable reads, by cache hit or miss.", "result", cache),
    ];
    if let Some(Backlog { waiting, lost }) = state.backlog() {
        all.push(gauge("audit_waiting", "Audit records waiting to be written.", waiting));
        all.push(counter("audit_lost", "Audit records that were lost.", lost));
    }
    if state.shared().figures().is_some() {
        all.extend(of_replica(state));
    }
    for metric in all {
        well_named(registry.register(Box::new(metric)));
    }
}

/// What an operator watches of a replica.
fn of_replica(state: &State) -> [ReadMetric; 6] {
    let metric = |name: &str, help: &str, read: fn(&ReplicaFigures) -> Option<f64>| {
        ReadMetric::new(name, help, None, MetricValues::Replica(state.clone(), read))
    };
    [
        metric("replicas", "Replicas that serve, with this one.", |now| Some(now.replicas.into())),
        metric("renewal_age_seconds", "Time since the lease of this replica was renewed.", |now| {
            now.renewal_age.map(|age| age.as_secs_f64())
        }),
        metric(
            "audit_oldest_seconds",
            "Age of the oldest audit record that is not written.",
            |now| Some(now.oldest_record.as_secs_f64()),
        ),
        metric("clock_offset_seconds", "How far the database's clock is ahead.", |now| {
            now.clock_offset
        }),
        metric("audit_days_ahead", "Days after today for which the audit has room.", |now| {
            now.days_ahead.map(f64::from)
        }),
        metric("unfinished_calls", "Calls with a key whose replica has ended.", |now| {
            now.unfinished.map(as_float)
        }),
    ]
}

fn gauge(name: &str, help: &str, gauge: &Gauge) -> ReadMetric {
    ReadMetric::new(name, help, None, MetricValues::Gauge(gauge.clone()))
}

fn counter(name: &str, help: &str, counter: &Counter) -> ReadMetric {
    ReadMetric::new(
        &format!("{name}_total"),
        help,
        None,
        MetricValues::Counters(vec![("", counter.clone())]),
    )
}

fn by_label<const N: usize>(
    name: &str,
    help: &str,
    label: &'static str,
    counters: [(&'static str, &Counter); N],
) -> ReadMetric {
    let values = counters.map(|(value, counter)| (value, counter.clone()));
    ReadMetric::new(
        &format!("{name}_total"),
        help,
        Some(label),
        MetricValues::Counters(values.into()),
    )
}

impl ReadMetric {
    fn new(name: &str, help: &str, label: Option<&'static str>, values: MetricValues) -> Self {
        let options = options(name, help);
        let labels = label.map(str::to_owned).into_iter().collect();
        let desc = Desc::new(options.fq_name(), options.help.clone(), labels, options.const_labels);
        Self { desc: well_named(desc), label, values }
    }

    fn metrics(&self) -> Vec<proto::Metric> {
        match &self.values {
            MetricValues::Gauge(gauge) => {
                vec![value(as_float(gauge.get()))]
            }
            MetricValues::Replica(state, read) => {
                let value = state.shared().figures().and_then(|figures| read(&figures));
                value.map(self::value).into_iter().collect()
            }
            MetricValues::Counters(counters) => {
                counters.iter().map(|(label, counter)| self.counter(label, counter)).collect()
            }
        }
    }

    fn counter(&self, label: &str, counter: &Counter) -> proto::Metric {
        let mut metric = proto::Metric::default();
        let mut value = proto::Counter::default();
        value.set_value(as_float(counter.get()));
        metric.set_counter(value);
        if let Some(name) = self.label {
            let mut pair = LabelPair::default();
            pair.set_name(name.to_owned());
            pair.set_value(label.to_owned());
            metric.set_label(vec![pair]);
        }
        metric
    }
}

impl Collector for ReadMetric {
    fn desc(&self) -> Vec<&Desc> {
        vec![&self.desc]
    }

    fn collect(&self) -> Vec<MetricFamily> {
        let mut family = MetricFamily::default();
        family.set_name(self.desc.fq_name.clone());
        family.set_help(self.desc.help.clone());
        family.set_field_type(match self.values {
            MetricValues::Gauge(_) | MetricValues::Replica(..) => MetricType::GAUGE,
            MetricValues::Counters(_) => MetricType::COUNTER,
        });
        family.set_metric(self.metrics());
        vec![family]
    }
}

/// A gauge with this value.
fn value(value: f64) -> proto::Metric {
    let mut metric = proto::Metric::default();
    let mut gauge = proto::Gauge::default();
    gauge.set_value(value);
    metric.set_gauge(gauge);
    metric
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 may be inexact")]
fn as_float<T: Into<i128>>(count: T) -> f64 {
    let count: i128 = count.into();
    count as f64
}
