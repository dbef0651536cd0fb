//! Calls of tools that answer, fail, or do neither.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use toolwrit_upstreams::{Code, Progress};

use crate::{Calling, ready, supervise, text, text_of, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_begins_before_the_upstream_is_ready() {
    let upstream = supervise("usual");
    let answer = Calling::new("arguments").with("a", "b").on(&upstream).await.unwrap();
    assert_eq!(text(&answer), r#"{"a":"b"}"#);
    let status = upstream.status();
    let server = status.server.unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("scripted", "1.2.3"));
    assert_eq!(status.tools, 24);
}

#[tokio::test(flavor = "multi_thread")]
async fn second_answers_and_noise_change_nothing() {
    let upstream = supervise("usual");
    assert_eq!(text_of("twice", &upstream).await, "first");
    assert_eq!(text_of("noise", &upstream).await, "after noise");
    assert_eq!(text_of("twice", &upstream).await, "first");
    assert_eq!(upstream.status().starts, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_ends_at_its_deadline_and_the_upstream_is_told() {
    let upstream = supervise("late");
    ready(&upstream).await;
    let mut calling = Calling::new("hang");
    calling.patience = Duration::from_millis(50);
    let failure = calling.on(&upstream).await.unwrap_err();
    assert_eq!((failure.code, failure.sent), (Code::Timeout, true));
    assert!(failure.message.contains("may have been done"), "{}", failure.message);
    // The late answer of the upstream is nobody's.
    let told = within(async {
        loop {
            let told = text_of("cancelled", &upstream).await;
            if told != "[]" {
                return told;
            }
        }
    });
    let told: Value = serde_json::from_str(&told.await).unwrap();
    assert_eq!(told.as_array().unwrap().len(), 1);
    assert!(told[0].is_number());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_can_be_cancelled_and_dropped() {
    let upstream = supervise("usual");
    ready(&upstream).await;
    let calling = Calling::new("hang");
    let cancellation = calling.cancellation.clone();
    let (failure, ()) = tokio::join!(calling.on(&upstream), async { cancellation.cancel() });
    assert_eq!(failure.unwrap_err().code, Code::Cancelled);
    {
        let dropped = Calling::new("hang").on(&upstream);
        tokio::select! {
            biased;
            _ = dropped => panic!("it answered"),
            told = text_of("pid", &upstream) => assert!(!told.is_empty()),
        }
    }
    let told = async { while text_of("cancelled", &upstream).await.matches(',').count() < 1 {} };
    within(told).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_visible() {
    let upstream = supervise("usual");
    let answer = Calling::new("hidden").on(&upstream).await.unwrap();
    assert_eq!(
        json!(answer.content),
        json!([
            { "type": "text", "text": "a\\u{202e}b\\u{e0041}\nc", "_meta": { "x": 1 } },
            { "type": "resource", "resource": { "uri": "x:y", "text": "z", "_meta": { "x": 1 } } },
        ])
    );
    assert_eq!(answer.structured, Some(json!({ "k\\u{200b}": "v\\u{200b}" })));
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_have_codes() {
    let upstream = supervise("usual");
    let failure = async |tool| Calling::new(tool).on(&upstream).await.unwrap_err();
    let reported = failure("fault").await;
    assert_eq!((reported.code, reported.reported.is_some()), (Code::NotFound, true));
    assert_eq!(
        (reported.message.as_str(), reported.hint.as_deref()),
        ("No such note.", Some("List them."))
    );
    for code in ["CONFIRMATION_REQUIRED", "WRITES_DISABLED", "INTERNAL", "CANCELLED", "MADE_UP"] {
        let failure = Calling::new("fault").with("code", code).on(&upstream).await.unwrap_err();
        assert_eq!((failure.code, failure.reported.is_some()), (Code::UpstreamError, true));
        let expected = format!("The tool `fault` failed with {code}: No such note.");
        assert_eq!((failure.message, failure.hint), (expected, None));
    }
    let text = failure("fault_text").await;
    assert_eq!((text.code, text.reported.is_some()), (Code::UpstreamError, true));
    let begin = "The tool `fault_text` failed: went wrong\n  at line 1\nxx";
    assert!(text.message.starts_with(begin), "{}", text.message);
    assert!((4000..4200).contains(&text.message.chars().count()) && text.message.ends_with('…'));
    let invalid = failure("invalid").await;
    assert_eq!(invalid.code, Code::ValidationError);
    assert!(invalid.message.contains("the argument \\u{200b}is wrong"), "{}", invalid.message);
    assert_eq!(failure("unknown").await.code, Code::ProviderUnavailable);
    assert_eq!(failure("absent").await.code, Code::ProviderUnavailable);
    assert_eq!(failure("odd").await.code, Code::UpstreamError);
    assert_eq!(failure("worse").await.code, Code::UpstreamError);
    assert_eq!(upstream.status().starts, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn results_have_a_limit() {
    let upstream = supervise("usual");
    let flood = async |bytes: usize| {
        let patience = Duration::from_mins(5);
        let calling = Calling { patience, ..Calling::new("flood").with("bytes", bytes) };
        calling.on(&upstream).await
    };
    let most = 8 * 1024 * 1024;
    assert_eq!(text(&flood(most - 1024).await.unwrap()).len(), most - 1024);
    assert_eq!(flood(most).await.unwrap_err().code, Code::ResultTooLarge);
    let begun = Instant::now();
    assert_eq!(flood(20 * 1024 * 1024).await.unwrap_err().code, Code::ResultTooLarge);
    assert!(begun.elapsed() < Duration::from_mins(2), "it waited for its deadline");
    assert_eq!(text_of("twice", &upstream).await, "first");
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_goes_forward_and_to_its_call_only() {
    let upstream = supervise("usual");
    ready(&upstream).await;
    let calls = (0..8).map(|_| {
        let (sender, mut receiver) = mpsc::unbounded_channel::<Progress>();
        let last = Arc::new(Mutex::new(0.0));
        let mut calling = Calling::new("progress");
        calling.progress = Some(Arc::new(move |progress: Progress| {
            let mut last = last.lock().unwrap();
            assert!(progress.progress > *last, "{progress:?} after {last}");
            *last = progress.progress;
            sender.send(progress).unwrap();
        }));
        let upstream = upstream.clone();
        async move {
            assert_eq!(text(&calling.on(&upstream).await.unwrap()), "done");
            // Those that arrive after the answer are not for the call any more.
            while let Some(progress) = receiver.recv().await {
                assert_eq!(progress.total, Some(4.0));
            }
        }
    });
    within(futures::future::join_all(calls)).await;
}
