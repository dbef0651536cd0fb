//! What the status of an answer means.

use serde_json::json;
use toolwrit_bindings::model::Code;
use toolwrit_test_servers::http::{HttpServer, json_response as answer};

use crate::open::{READ, open};
use crate::value;

#[tokio::test]
async fn each_status_has_its_code() {
    let statuses = [
        (300, Code::UpstreamError),
        (304, Code::UpstreamError),
        (400, Code::ValidationError),
        (401, Code::ProviderUnavailable),
        (403, Code::UpstreamForbidden),
        (404, Code::NotFound),
        (405, Code::UpstreamError),
        (408, Code::Timeout),
        (409, Code::Conflict),
        (410, Code::NotFound),
        (412, Code::Conflict),
        (418, Code::UpstreamError),
        (422, Code::ValidationError),
        (429, Code::LimitExceeded),
        (451, Code::UpstreamError),
        (500, Code::UpstreamError),
        (503, Code::UpstreamError),
        (599, Code::UpstreamError),
        (999, Code::UpstreamError),
    ];
    for (status, code) in statuses {
        // Answers with status 304 have no body.
        let body = json!({ "message": "Because." });
        let server = HttpServer::answering(move |_| match status {
            304 => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
            _ => answer(status, &body),
        });
        let failure = value(&open(&server), &READ).await.unwrap_err();
        assert_eq!(failure.code, code, "{status}");
        let said = if status == 304 { "" } else { ": Because" };
        assert_eq!(failure.message, format!("open answered with status {status}{said}."));
        assert!(failure.sent);
    }
}

#[tokio::test]
async fn each_status_of_success_is_one() {
    for status in [200, 201, 202, 203, 206, 207, 299] {
        let server = HttpServer::answering(move |_| answer(status, &json!(1)));
        assert_eq!(value(&open(&server), &READ).await, Ok(json!(1)), "{status}");
    }
}
