//! Upstreams that are killed, and Toolwrit that is killed: nothing remains, nothing hangs, and the next call works.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::requirement;
use toolwrit_tests::waiting::until;

use crate::upstreams::scripted::{table, tool, write};
use crate::upstreams::{Host, Setup, gateway};

/// Upstreams that are killed, each while it has a call.
const UPSTREAMS: usize = 100;
/// How long a call may take that no upstream delays. Debug programs beside other tests need some time to start.
const AT_ONCE: Duration = Duration::from_secs(10);

fn setup(upstreams: usize) -> Setup {
    let setup = Setup::new("");
    let tools = write(setup.folder.path(), &[tool("pid"), tool("hang"), tool("hanging")]);
    let effects = "effects = { pid = \"read\", hang = \"read\", hanging = \"read\" }";
    let tables = (0..upstreams).map(|n| table(&format!("u{n}"), &tools, effects));
    fs::write(&setup.config, tables.collect::<String>()).unwrap();
    setup.approve("u0");
    // All have the same tools.
    let lock = setup.folder.path().join("upstreams/u0.lock.yaml");
    for n in 1..upstreams {
        fs::copy(&lock, lock.with_file_name(format!("u{n}.lock.yaml"))).unwrap();
    }
    setup
}

fn process(text: &str) -> Pid {
    Pid::from_raw(text.parse().unwrap())
}

/// Whether a process runs, and has not only not been waited for.
fn runs(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

fn gone(processes: &[Pid]) {
    until("the end of the upstreams", || !processes.iter().any(|process| runs(*process)));
}

#[test]
fn each_of_a_hundred_upstreams_is_killed_during_a_call() {
    let setup = setup(UPSTREAMS);
    let mut host = setup.serve("flat", Era::Initialize);
    let mut slow: Vec<Duration> = Vec::new();
    for n in 0..UPSTREAMS {
        let id = format!("u{n}.pid");
        let victim = process(host.read(&id, &json!({})).text());
        let hanging = host.begin(&format!("u{n}.hang"), "read", &json!({}));
        let hanging_id = format!("u{n}.hanging");
        until("the call", || host.read(&hanging_id, &json!({})).text() == "1");
        let begun = Instant::now();
        kill(victim, Signal::SIGKILL).unwrap();
        let ended = host.client.finish_call(hanging);
        assert_eq!(ended.code(), "UPSTREAM_ERROR", "{}", ended.0);
        let failed = begun.elapsed();
        let next = host.read(&id, &json!({}));
        assert!(!next.is_error(), "{}", next.0);
        assert_ne!(process(next.text()), victim);
        slow.extend([failed, begun.elapsed()].into_iter().filter(|took| *took > AT_ONCE));
    }
    assert!(slow.len() <= UPSTREAMS / 20, "calls have hung: {slow:?}");
    let rest: Vec<Pid> = (0..UPSTREAMS)
        .map(|n| process(host.read(&format!("u{n}.pid"), &json!({})).text()))
        .collect();
    host.client.close();
    gone(&rest);
}

#[test]
fn nothing_remains_of_a_killed_toolwrit_on_standard_streams() {
    let setup = setup(2);
    for round in 0..kills() {
        let era = Era::ALL[round % 2];
        let mut host = setup.serve("flat", era);
        let upstreams = ["u0.pid", "u1.pid"];
        let upstreams = upstreams.map(|id| process(host.read(id, &json!({})).text()));
        host.begin("u0.hang", "read", &json!({}));
        assert!(upstreams.iter().all(|process| runs(*process)));
        let Host { client, .. } = host;
        client.kill();
        gone(&upstreams);
    }
}

#[test]
fn nothing_remains_of_a_killed_gateway_over_http() {
    let setup = setup(2);
    for _ in 0..kills() {
        let mut server = gateway(&setup, &[]);
        let upstreams = ["u0_pid", "u1_pid"].map(|name| {
            let called = server.client("/flat").call(name, &json!({}));
            process(called.text())
        });
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        gone(&upstreams);
    }
}

/// How often each of two kinds of servers is killed.
fn kills() -> usize {
    requirement::number(30, 200)
}
