//! What `/metrics` says about upstreams.

use std::fs;

use serde_json::json;
use toolwrit_tests::waiting::until;

use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{Setup, gateway};

#[test]
fn metrics_have_the_state_and_the_calls_of_each_upstream() {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[tool("pid"), tool("fails")]);
    let effects = "effects = { pid = \"read\", fails = \"read\" }";
    let tables = ["one", "two"].map(|name| table(name, &tools, effects)).concat();
    fs::write(&setup.config, tables).unwrap();
    setup.approve("one");
    let server = gateway(&setup, &[]);
    let client = server.client("/flat");
    let pid = client.call("one_pid", &json!({})).text().to_owned();
    assert!(client.call("one_fails", &json!({})).is_error());
    let metrics = || server.get("/metrics", &[]).body;
    let held = "toolwrit_upstream_state{upstream=\"two\",state=\"held\"} 1";
    until("the state of the other one", || metrics().contains(held));
    let text = metrics();
    for line in [
        "# TYPE toolwrit_upstream_up gauge",
        "toolwrit_upstream_up{upstream=\"one\"} 1",
        "toolwrit_upstream_up{upstream=\"two\"} 0",
        "toolwrit_upstream_state{upstream=\"one\",state=\"ready\"} 1",
        "# TYPE toolwrit_upstream_restarts_total counter",
        "toolwrit_upstream_restarts_total{upstream=\"one\"} 0",
        "toolwrit_upstream_calls_total{upstream=\"one\"} 2",
        "toolwrit_upstream_failures_total{upstream=\"one\"} 1",
        "# TYPE toolwrit_upstream_call_duration_seconds summary",
        "toolwrit_upstream_call_duration_seconds_count{upstream=\"one\"} 2",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} in {text}");
    }
    let pid = nix::unistd::Pid::from_raw(pid.parse().unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    until("the restart", || {
        metrics().contains("toolwrit_upstream_restarts_total{upstream=\"one\"} 1")
    });
}
