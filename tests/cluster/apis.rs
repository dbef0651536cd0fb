//! An API gets no more requests from all replicas than its provider declares, also if that is less than one for each replica.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, json_response};
use toolwrit_tests::cluster::{Caller, Cluster};
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::requirement::number;

/// Clients of each replica.
const CLIENTS: usize = 3;

/// Replicas of a server whose only operation asks an API with this limit; `None` if this machine lacks a program.
fn asking(api: &HttpServer, limit: &str) -> Option<(Cluster, TempDir)> {
    let folder = TempDir::new().unwrap();
    let address = api.address();
    let manifest = format!(
        "toolwrit: 1
server: {{ name: weather }}
categories: {{ sky: {{ summary: The sky. }} }}
providers:
  station: {{ title: Station, summary: Answers., http: {{ base: \"http://{address}\", {limit} }} }}
operations:
  sky.ask:
    summary: Asks the station.
    effect: write
    returns: {{ fields: {{ path: string }} }}
    http: {{ provider: station, post: /sky }}
"
    );
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let manifest = file("weather.yaml", &manifest);
    let config = file("config.toml", "[providers.station]\nnetworks = [\"127.0.0.0/8\"]\n");
    let flags = ["--manifest", &manifest, "--config", &config];
    let cluster = Cluster::of(toolwrit(), &flags)?;
    cluster.know_each_other();
    Some((cluster, folder))
}

/// Asks at every replica by several clients at once, as long as the condition holds, and returns how many were answered and how
/// many were refused.
fn ask(cluster: &Cluster, more: impl Fn(usize) -> bool + Sync) -> (usize, usize) {
    let (answered, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = |caller: &Caller| {
        for _ in (0..).take_while(|round| more(*round)) {
            let answer = caller.call("sky_ask", &json!({}));
            if answer.is_error() {
                assert_eq!(answer.code(), "LIMIT_EXCEEDED");
                refused.fetch_add(1, SeqCst);
            } else {
                answered.fetch_add(1, SeqCst);
            }
        }
    };
    scope(|scope| {
        for client in 0..3 * CLIENTS {
            let caller = cluster.caller(client % 3);
            let work = &work;
            scope.spawn(move || work(&caller));
        }
    });
    (answered.into_inner(), refused.into_inner())
}

#[test]
fn an_api_gets_its_rate_from_all_replicas_within_five_percent() {
    const RATE: f64 = 40.0;
    let api = HttpServer::answering(|_| json_response(200, &json!({"path": "/sky"})));
    let Some((cluster, _folder)) = asking(&api, "rate: 40/s") else { return };
    let begun = Instant::now();
    let time = Duration::from_secs(number(5, 20));
    let (answered, _) = ask(&cluster, |_| begun.elapsed() < time);
    // As many as one second gives may be sent at once, and the rest as time passes.
    let allowed = RATE + RATE * begun.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let part = api.requests().len() as f64 / allowed;
    assert!((0.9..=1.0).contains(&part), "{} of {allowed}", api.requests().len());
    assert_eq!(answered, api.requests().len(), "each was answered once");
}

#[test]
fn replicas_send_no_more_than_a_rate_below_one_for_each() {
    let api = HttpServer::answering(|_| json_response(200, &json!({"path": "/sky"})));
    let Some((cluster, _folder)) = asking(&api, "rate: 2/h") else { return };
    assert_eq!(ask(&cluster, |round| round < 3), (2, 3 * 3 * CLIENTS - 2));
    assert_eq!(api.requests().len(), 2);
}

#[test]
fn requests_that_run_at_once_are_counted_over_all_replicas() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = most.clone();
    let api = HttpServer::answering(move |_| {
        seen.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        // An API that takes some time.
        sleep(Duration::from_millis(30));
        running.fetch_sub(1, SeqCst);
        json_response(200, &json!({"path": "/sky"}))
    });
    let Some((cluster, _folder)) = asking(&api, "concurrency: 2") else { return };
    let rounds = number(3, 20);
    assert_eq!(ask(&cluster, |round| round < rounds), (rounds * 3 * CLIENTS, 0));
    assert_eq!(most.load(SeqCst), 2);
}
