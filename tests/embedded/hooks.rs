//! The hooks of an application before and after its handlers, and when it closes.

use serde_json::json;
use toolwrit::{Code, Server};

use crate::embedded::{Harbour, Log, Tools};

fn server(harbour: Harbour) -> Server {
    Server::builder::<Tools<Harbour>>(harbour).build().unwrap()
}

fn entries(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[tokio::test]
async fn the_hooks_see_each_handler_and_its_outcome() {
    let log = Log::default();
    let server = server(Harbour::logging(&log));
    server.call("berth.moor", json!({})).await.unwrap();
    assert_eq!(
        entries(&log),
        ["before berth.moor for local", r#"after berth.moor: {"number":1,"ship":"local"}"#]
    );
    let panicked = server.call("berth.moor", json!({"panic": true})).await.unwrap_err();
    assert_eq!(panicked.code(), Code::Internal);
    assert!(panicked.message().contains("logged as"), "{panicked}");
    assert_eq!(entries(&log)[1], "after berth.moor: INTERNAL");
    // Calls that reach no handler reach no hook.
    server.call("berth.moor", json!({"panic": 7})).await.unwrap_err();
    assert_eq!(entries(&log), [""; 0]);
    server.close().await;
    assert_eq!(entries(&log), ["closed"]);
}

#[tokio::test]
async fn a_fault_before_the_handler_ends_the_call() {
    for (banned, code) in [("local", Code::FocusRestricted), ("panic", Code::Internal)] {
        let log = Log::default();
        let server = server(Harbour { banned: Some(banned), ..Harbour::logging(&log) });
        let fault = server.call("berth.moor", json!({})).await.unwrap_err();
        assert_eq!(fault.code(), code);
        assert_eq!(entries(&log), ["before berth.moor for local"]);
        let is_logged = fault.message().contains("logged as");
        assert_eq!(is_logged, code == Code::Internal, "{fault}");
    }
}

#[tokio::test]
async fn a_fault_carries_the_details_of_its_author() {
    let server = server(Harbour::default());
    for _ in 0..2 {
        server.call("berth.moor", json!({})).await.unwrap();
    }
    let fault = server.call("berth.moor", json!({})).await.unwrap_err();
    let data = json!({"berths": 2, "ships": ["local", "local"]});
    assert_eq!(
        fault.to_json(),
        json!({"error": {
            "code": "FULL", "message": "Every berth is taken.", "operation": "berth.moor",
            "hint": "Come back with the tide.", "retryable": false, "details": data,
        }})
    );
}
