//! Lists of tools that do not end, are too large, or name tools twice.

use toolwrit_upstreams::{Lock, State, Status};

use crate::{supervise, within};

async fn failed(mode: &str) -> Status {
    let upstream = supervise(mode);
    within(upstream.until(|status| status.state == State::Disabled)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_an_end() {
    for (mode, why) in [
        ("endless", "more than 64 pages"),
        ("many", "more than 2000 tools"),
        ("large", "larger than 4 MiB"),
        ("malformed", "not a list of tools"),
    ] {
        let status = failed(mode).await;
        assert_eq!(status.state, State::Disabled, "{mode}: {status:?}");
        let reason = status.reason.unwrap();
        assert!(reason.contains(why), "{mode}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pages_are_listed() {
    let upstream = supervise("pages");
    within(upstream.until(|status| status.state == State::Ready)).await;
    let list = upstream.tools().unwrap();
    let names: Vec<&str> = list.tools().iter().map(toolwrit_upstreams::Tool::name).collect();
    assert_eq!(names.len(), 10);
    assert_eq!((names[0], names[9]), ("tool_0", "tool_9"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_whose_pages_come_again_has_each_tool_once() {
    for (mode, tools) in [
        ("circle", &["tool_0", "tool_1", "tool_2"][..]),
        ("same_cursor", &["one", "two"]),
        ("same_page", &["one", "two"]),
        ("empty_cursor", &["one", "two"]),
        ("empty_page", &["one", "two"]),
    ] {
        let upstream = supervise(mode);
        within(upstream.until(|status| status.state == State::Ready)).await;
        let list = upstream.tools().unwrap();
        let names: Vec<&str> = list.tools().iter().map(toolwrit_upstreams::Tool::name).collect();
        assert_eq!(names, tools, "{mode}");
        assert!(list.refused().is_empty(), "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_answer_with_the_id_as_text() {
    let upstream = supervise("text_ids");
    within(upstream.until(|status| status.state == State::Ready)).await;
    assert!(upstream.tools().unwrap().get("arguments").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_unique_and_visible() {
    let upstream = supervise("doubles");
    let status = within(upstream.until(|status| status.state == State::Ready)).await;
    let list = upstream.tools().unwrap();
    let names: Vec<&str> = list.tools().iter().map(toolwrit_upstreams::Tool::name).collect();
    assert_eq!(names, ["two"]);
    let reasons: Vec<String> = list
        .refused()
        .iter()
        .map(|refused| format!("{:.12}: {}", refused.name, refused.reason))
        .collect();
    assert_eq!(
        reasons,
        [
            "one: 2 tools have this name",
            ": the name is empty",
            "hid\\u{200b}d: the name has hidden characters",
            "longlonglong: the name is longer than 128 characters",
        ]
    );
    let lock = Lock::new(status.server.unwrap(), &list);
    assert_eq!(lock.names().collect::<Vec<_>>(), ["two"]);
}
