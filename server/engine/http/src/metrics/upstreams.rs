//! Metrics of the providers that are other servers. They are read from the providers at each scrape.

use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType, Summary};
use toolwrit_core::availability::UpstreamFigures;
use toolwrit_core::policy::Policy;

/// Returns the metrics of the providers that the caller may know.
pub(super) fn families(policy: &Policy) -> Vec<MetricFamily> {
    let named = policy.tables().providers.iter().enumerate();
    let measured: Vec<(&str, UpstreamFigures)> = named
        .filter(|(at, _)| policy.knows_provider(*at))
        .filter_map(|(at, provider)| {
            Some((provider.name.as_str(), policy.providers()?.figures(at)?))
        })
        .collect();
    let family = |name: &str, help: &str, kind, metric: fn(&UpstreamFigures) -> Metric| {
        let metrics = measured.iter().map(|(name, figures)| labelled(metric(figures), name));
        let mut family = MetricFamily::default();
        family.set_name(format!("toolwrit_upstream_{name}"));
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.set_metric(metrics.collect());
        family
    };
    let calls = "Calls that an upstream has received.";
    let failures = "Calls of an upstream that failed.";
    vec![
        family("up", "Whether an upstream can be called at once.", MetricType::GAUGE, |upstream| {
            gauge(f64::from(u8::from(upstream.is_ready)))
        }),
        family("state", "The state of an upstream; always 1.", MetricType::GAUGE, |upstream| {
            let mut metric = gauge(1.0);
            metric.set_label(vec![pair("state", upstream.state)]);
            metric
        }),
        family(
            "restarts_total",
            "How often an upstream was started again.",
            MetricType::COUNTER,
            |upstream| counter(upstream.restarts),
        ),
        family("calls_total", calls, MetricType::COUNTER, |upstream| counter(upstream.calls)),
        family("failures_total", failures, MetricType::COUNTER, |upstream| {
            counter(upstream.failures)
        }),
        family(
            "call_duration_seconds",
            "How long an upstream took to answer, in seconds.",
            MetricType::SUMMARY,
            |upstream| {
                let (mut metric, mut summary) = (Metric::default(), Summary::default());
                summary.set_sample_sum(upstream.busy.as_secs_f64());
                summary.set_sample_count(upstream.calls);
                metric.set_summary(summary);
                metric
            },
        ),
    ]
}

fn gauge(value: f64) -> Metric {
    let (mut metric, mut gauge) = (Metric::default(), Gauge::default());
    gauge.set_value(value);
    metric.set_gauge(gauge);
    metric
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 may be inexact")]
fn counter(value: u64) -> Metric {
    let (mut metric, mut counter) = (Metric::default(), Counter::default());
    counter.set_value(value as f64);
    metric.set_counter(counter);
    metric
}

/// Adds the label that names the upstream.
fn labelled(mut metric: Metric, upstream: &str) -> Metric {
    let mut labels = vec![pair("upstream", upstream)];
    labels.extend(metric.get_label().iter().cloned());
    metric.set_label(labels);
    metric
}

fn pair(name: &str, value: &str) -> LabelPair {
    let mut pair = LabelPair::default();
    pair.set_name(name.to_owned());
    pair.set_value(value.to_owned());
    pair
}
