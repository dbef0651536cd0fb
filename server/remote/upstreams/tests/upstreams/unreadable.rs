//! Answers that cannot be read end their call at once.

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::{Client, over_http};
use toolwrit_upstreams::Code;

use crate::remotes::{local, serve};
use crate::{Calling, ready, supervise, text_of};

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
    for (form, said) in [
        ("null_id", "The upstream failed with -32700: Parse error"),
        ("no_id", "The upstream failed with -32700: Parse error"),
        ("result_of_null", "The call has no result: its answer is no message of MCP: "),
        ("error_text", "full moon"),
    ] {
        let calling = Calling::new("unreadable").with("form", form);
        let failure = calling.on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::UpstreamError, "{form}: {failure}");
        assert!(failure.message.contains(said), "{form}: {failure}");
    }
    assert_eq!(text_of("twice", &upstream).await, "first");
    assert_eq!(upstream.status().starts, 1);
}

/// It may be that of another request.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_without_an_id_is_not_that_of_one_among_several_calls() {
    let upstream = supervise("usual");
    ready(&upstream).await;
    let hanging = Calling::new("hang");
    let cancellation = hanging.cancellation.clone();
    let hanging = hanging.on(&upstream);
    tokio::pin!(hanging);
    tokio::select! {
        _ = &mut hanging => panic!("it hangs"),
        text = text_of("twice", &upstream) => assert_eq!(text, "first"),
    }
    let other =
        Calling { patience: std::time::Duration::from_secs(1), ..Calling::new("unreadable") };
    let failure = other.with("form", "null_id").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::Timeout);
    assert!(futures::poll!(&mut hanging).is_pending());
    cancellation.cancel();
    assert_eq!(hanging.await.unwrap_err().code, Code::Cancelled);
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
