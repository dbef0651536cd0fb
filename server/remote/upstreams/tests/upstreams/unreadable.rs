//! Answers that cannot be read end their call at once.

use std::sync::Arc;

use serde_json::json;
use toolwrit_upstreams::Code;

use crate::remotes::{Answer, local, serve, usual};
use crate::{Calling, supervise, text_of};

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_cannot_be_read_says_why() {
    let upstream = supervise("usual");
    for (form, why) in [
        ("deep", "is nested deeper than 128 levels"),
        ("deeper", "is nested deeper than 128 levels"),
        ("both", "has a result and an error"),
        ("neither", "has neither a result nor an error"),
        ("bytes", "is not text in UTF-8"),
    ] {
        let calling = Calling::new("unreadable").with("form", form);
        let failure = calling.on(&upstream).await.unwrap_err();
        let said = format!("The call has no result: its answer {why}.");
        assert_eq!((failure.code, failure.message), (Code::UpstreamError, said));
        assert!(failure.sent);
    }
    assert_eq!(text_of("twice", &upstream).await, "first");
    assert_eq!(upstream.status().starts, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_too() {
    for path in ["/mcp", "/events"] {
        let answer: Answer = Arc::new(|request, _| match request["method"].as_str() {
            Some("tools/call") if request["params"]["arguments"]["deep"] == true => {
                let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
                Ok(json!({ "content": [], "structuredContent": { "a": deep } }))
            }
            // Neither a result nor an error.
            Some("tools/call") => Ok(json!({ "status": 200 })),
            _ => usual(request),
        });
        let address = serve(answer).await.replace("/mcp", path);
        let upstream = crate::remotes::supervise(local(address));
        for deep in [true, false] {
            let failure = Calling::new("echo").with("deep", deep).on(&upstream).await.unwrap_err();
            assert_eq!(failure.code, Code::UpstreamError, "{path}: {failure}");
            let begin = "The call has no result: its answer ";
            assert!(failure.message.starts_with(begin), "{path}: {failure}");
        }
    }
}
