//! What passes through: progress and cancellation, for clients and upstreams of both eras.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::memory::resident;
use toolwrit_tests::waiting::until;

use crate::upstreams::Setup;
use crate::upstreams::scripted::{REPORTS, table_of, tool, write};

/// The eras of a client and of an upstream.
pub(crate) fn pairs() -> impl Iterator<Item = (Era, Era)> {
    Era::ALL.into_iter().flat_map(|client| Era::ALL.map(|upstream| (client, upstream)))
}

/// An upstream of this era with these tools, which only read.
pub(crate) fn setup(era: Era, tools: &[Value], more: &str) -> Setup {
    let setup = Setup::new("");
    let effects = tools.iter().map(|tool| format!("{} = \"read\"", tool["name"].as_str().unwrap()));
    let effects = effects.collect::<Vec<_>>().join(", ");
    let file = write(setup.folder.path(), tools);
    let more = format!("effects = {{ {effects} }}\n{more}");
    std::fs::write(&setup.config, table_of("one", era, &file, &more)).unwrap();
    setup.approve("one");
    setup
}

#[test]
fn progress_reaches_the_caller_with_its_own_token() {
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &[tool("progress")], "");
        let mut host = setup.serve("flat", client);
        let call =
            json!({"name": "one_progress", "arguments": {}, "_meta": {"progressToken": "mine"}});
        let answer = host.client.request("tools/call", call);
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{client:?} {upstream:?}");
        let reports = host.client.notifications.iter();
        let reports: Vec<&Value> =
            reports.filter(|own| own["method"] == "notifications/progress").collect();
        assert_eq!(reports.len(), 1, "{client:?} {upstream:?}: {reports:?}");
        let params = &reports[0]["params"];
        assert_eq!(params["progressToken"], "mine");
        assert_eq!(params["message"], "half");
        assert_eq!((params["progress"].as_f64(), params["total"].as_f64()), (Some(1.0), Some(2.0)));
    }
}

#[test]
fn a_flood_of_progress_reaches_the_caller_as_a_part_of_it() {
    let mut flood = tool("flood");
    flood["inputSchema"]["properties"]["unknown"] = json!({ "type": "integer" });
    for (client, upstream) in pairs() {
        let setup = setup(upstream, &[flood.clone()], "");
        let mut host = setup.serve("flat", client);
        let call = |arguments: Value| json!({ "name": "one_flood", "arguments": arguments, "_meta": { "progressToken": "mine" } });
        let answer = host.client.request("tools/call", call(json!({})));
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{client:?} {upstream:?}");
        let progress = |own: &&Value| own["method"] == "notifications/progress";
        let passed = host.client.notifications.iter().filter(progress).count();
        assert!((1..REPORTS / 2).contains(&passed), "{client:?} {upstream:?}: {passed}");

        // Progress of calls that nobody has made is not kept.
        let before = resident(host.client.pid());
        let answer = host.client.request("tools/call", call(json!({ "unknown": 64 })));
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{client:?} {upstream:?}");
        assert_eq!(host.client.notifications.iter().filter(progress).count(), passed);
        let grown =
            resident(host.client.pid()).zip(before).map(|(now, before)| now.saturating_sub(before));
        assert!(grown.is_none_or(|grown| grown < 32 << 20), "{client:?} {upstream:?}: {grown:?}");
    }
}

#[test]
fn a_cancelled_call_is_cancelled_at_the_upstream_by_its_own_id() {
    for (client, upstream) in pairs() {
        // Its own limit is not what ends the call.
        let more = "timeout = \"10m\"";
        let setup = setup(upstream, &[tool("hang"), tool("cancelled")], more);
        let mut host = setup.serve("flat", client);
        let call = json!({"name": "one_hang", "arguments": {}, "_meta": {"progressToken": "mine"}});
        let id = host.client.begin("tools/call", call);
        while host.client.next_message()["method"] != "notifications/progress" {}
        host.client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                                 "params": {"requestId": id}}));
        until("the cancellation", || {
            let seen = host.read("one.cancelled", &json!({})).json();
            let (hanging, cancelled) = (&seen[0], &seen[1]);
            assert_eq!(
                hanging.as_array().map(Vec::len),
                Some(1),
                "{client:?} {upstream:?}: {seen}"
            );
            cancelled == hanging
        });
    }
}
