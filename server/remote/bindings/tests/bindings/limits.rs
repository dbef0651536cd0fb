//! Rates, requests at once, and APIs that do not answer.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinSet;
use toolwrit_bindings::model::{Api, Code, Rate};
use toolwrit_bindings::{CircuitOptions, ConnectionOptions, RetryOptions};
use toolwrit_test_servers::http::{HttpServer, json_response as answer, wait_for_end};

use crate::open::{ADD, OPEN, READ, open_as, open_with};
use crate::{Calling, options, value};

#[tokio::test]
async fn a_rate_lets_requests_wait_until_their_deadline() {
    let rare = Api {
        rate: Some(Rate { requests: NonZeroU32::new(2).unwrap(), per: Duration::from_hours(2) }),
        ..OPEN.clone()
    };
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let rare = open_as(rare, &server);
    for _ in 0..2 {
        value(&rare, &READ).await.unwrap();
    }
    let failure = value(&rare, &READ).await.unwrap_err();
    assert_eq!(failure.code, Code::LimitExceeded);
    assert!(failure.retryable && !failure.sent);
    let pause = failure.retry_after.unwrap();
    assert!(pause > Duration::from_mins(50) && pause <= Duration::from_hours(1), "{pause:?}");
    assert_eq!(server.lines().len(), 2);

    let quick = Api {
        rate: Some(Rate { requests: NonZeroU32::new(1).unwrap(), per: Duration::from_millis(1) }),
        ..OPEN.clone()
    };
    let quick = open_as(quick, &server);
    for _ in 0..10 {
        value(&quick, &READ).await.unwrap();
    }
    assert_eq!(server.lines().len(), 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_requests_run_at_once_than_allowed() {
    let narrow = Api { concurrency: NonZeroU16::new(3), ..OPEN.clone() };
    let (running, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let (peak, three) = (Arc::clone(&most), Barrier::new(3));
    let server = HttpServer::answering(move |_| {
        peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // Each answer waits for two others, so that three requests must run at once.
        three.wait();
        running.fetch_sub(1, Ordering::SeqCst);
        answer(200, &json!(1))
    });
    let narrow = Arc::new(open_as(narrow, &server));
    let mut calls = JoinSet::new();
    for _ in 0..60 {
        let narrow = Arc::clone(&narrow);
        calls.spawn(async move { value(&narrow, &READ).await.unwrap() });
    }
    assert_eq!(calls.join_all().await.len(), 60);
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_call_that_finds_no_place_is_told_so() {
    let single = Api { concurrency: NonZeroU16::new(1), ..OPEN.clone() };
    let (told, mut arrived) = tokio::sync::mpsc::unbounded_channel();
    let server = HttpServer::scripted(move |_, stream| {
        told.send(()).unwrap();
        wait_for_end(stream);
    });
    let single = open_as(single, &server);
    let first = Calling::new(json!({}));
    let then = async {
        arrived.recv().await.unwrap();
        let short = Calling { patience: Duration::from_millis(50), ..Calling::new(json!({})) };
        let failure = short.run(&single, &ADD).await.unwrap_err();
        assert!(!failure.sent, "{failure:?}");
        assert!(failure.retryable, "{failure:?}");
        first.cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(first.run(&single, &READ), then);
    assert_eq!(outcome.unwrap_err().code, Code::Cancelled);
    assert_eq!(server.lines().len(), 1);
}

fn with_circuit(pause: Duration) -> ConnectionOptions {
    ConnectionOptions {
        retry: RetryOptions { times: 0, first_pause: Duration::ZERO },
        circuit: CircuitOptions { failures: 3, pause },
        ..options()
    }
}

#[tokio::test]
async fn an_api_that_does_not_answer_gets_no_more_requests() {
    let server = HttpServer::answering(|_| answer(503, &json!({})));
    let open = open_with(&server, &with_circuit(Duration::from_hours(1)));
    for _ in 0..3 {
        assert_eq!(value(&open, &READ).await.unwrap_err().code, Code::UpstreamError);
    }
    let failure = value(&open, &READ).await.unwrap_err();
    assert_eq!((&failure.code, failure.sent), (&Code::ProviderUnavailable, false));
    assert_eq!(failure.message, "Several requests to open have failed in a row.");
    assert!(failure.retry_after.unwrap() > Duration::from_mins(50));
    assert!(failure.retryable, "the pause is the time after which to call again");
    assert_eq!(server.lines().len(), 3);
}

#[tokio::test]
async fn a_call_does_not_wait_until_requests_are_sent_again() {
    let server = HttpServer::answering(|_| answer(503, &json!({})));
    let circuit = CircuitOptions { failures: 1, pause: Duration::ZERO };
    let open = open_with(&server, &ConnectionOptions { circuit, ..options() });
    assert_eq!(value(&open, &READ).await.unwrap_err().code, Code::UpstreamError);
    // The pause ends before the deadline of the call, so that it could wait.
    let circuit = CircuitOptions { failures: 1, pause: Duration::from_secs(30) };
    let retry = RetryOptions { times: 5, first_pause: Duration::ZERO };
    let open = open_with(&server, &ConnectionOptions { circuit, retry, ..options() });
    let sent = server.lines().len();
    assert_eq!(value(&open, &READ).await.unwrap_err().code, Code::ProviderUnavailable);
    assert_eq!(server.lines().len(), sent + 1, "only the first attempt is sent");
}

#[tokio::test]
async fn calls_that_time_out_count_as_unanswered() {
    let server = HttpServer::scripted(|_, stream| {
        wait_for_end(stream);
    });
    let open = open_with(&server, &with_circuit(Duration::from_hours(1)));
    let short = Calling { patience: Duration::from_secs(1), ..Calling::new(json!({})) };
    for _ in 0..3 {
        assert_eq!(short.run(&open, &READ).await.unwrap_err().code, Code::Timeout);
    }
    assert_eq!(short.run(&open, &READ).await.unwrap_err().code, Code::ProviderUnavailable);
}

#[tokio::test]
async fn after_the_pause_one_answer_is_enough() {
    let down = || answer(503, &json!({}));
    let up = || answer(200, &json!(1));
    let server = HttpServer::in_turn(vec![down(), down(), down(), down(), up()]);
    let open = open_with(&server, &with_circuit(Duration::ZERO));
    for _ in 0..4 {
        assert_eq!(value(&open, &READ).await.unwrap_err().code, Code::UpstreamError);
    }
    for _ in 0..5 {
        value(&open, &READ).await.unwrap();
    }
}

#[tokio::test]
async fn refusals_and_errors_of_one_request_do_not_stop_others() {
    for status in [400, 403, 404, 429, 500] {
        let server = HttpServer::answering(move |_| answer(status, &json!({})));
        let open = open_with(&server, &with_circuit(Duration::from_hours(1)));
        for _ in 0..6 {
            assert_ne!(value(&open, &READ).await.unwrap_err().code, Code::ProviderUnavailable);
        }
        assert_eq!(server.lines().len(), 6, "{status}");
    }
}
