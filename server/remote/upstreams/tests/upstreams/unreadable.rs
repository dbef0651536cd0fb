//! Answers that cannot be read end their call at once.

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::{Client, over_http};
use toolwrit_upstreams::Code;

use crate::remotes::{local, serve};
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
        let server = serve(|message, request| {
            let is_deep = message["params"]["arguments"]["deep"] == true;
            let answer = |message: &Value, client: &mut Client<'_>| {
                if is_deep {
                    let deep = (0..300).fold(json!(1), |inner, _| json!([inner]));
                    let result = json!({ "content": [], "structuredContent": { "a": deep } });
                    client.answer(&message["id"], &result);
                } else {
                    // Neither a result nor an error.
                    client.send(&json!({ "jsonrpc": "2.0", "id": message["id"] }));
                }
            };
            (message["method"] == "tools/call").then(|| over_http(request, answer))
        });
        let upstream = crate::remotes::supervise(local(server.url(path)));
        for deep in [true, false] {
            let failure = Calling::new("echo").with("deep", deep).on(&upstream).await.unwrap_err();
            assert_eq!(failure.code, Code::UpstreamError, "{path}: {failure}");
            let begin = "The call has no result: its answer ";
            assert!(failure.message.starts_with(begin), "{path}: {failure}");
        }
    }
}
