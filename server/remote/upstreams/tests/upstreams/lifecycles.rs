//! The states of an upstream, and what leads from one to another.

use std::sync::Arc;
use std::time::Duration;

use toolwrit_upstreams::model::{Command, Era, Start};
use toolwrit_upstreams::{Code, State, Supervisor};

use crate::{Calling, Seen, command, definition, ready, supervise, text_of, within};

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_does_not_start_is_disabled_and_probed() {
    let seen = Arc::new(Seen::default());
    let mut definition = definition(command("broken"));
    definition.timing.probe = Duration::from_millis(1);
    let upstream = Supervisor::new(seen.clone()).supervise(definition);
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    assert_eq!(status.reason.as_deref(), Some("The program ended with exit status: 3."));
    assert_eq!(status.output.as_deref(), Some("the settings\\u{200b} are missing"));
    assert_eq!(status.starts, 0);
    let failure = Calling::new("pid").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    // Probes do not make it look as if it was being started.
    let failures = || seen.0.lock().unwrap().len();
    let before = failures();
    within(upstream.until(|_| failures() > before + 3)).await;
    let path = seen.states();
    assert_eq!(path.iter().filter(|state| **state == State::Starting).count(), 5);
    assert_eq!(path.last(), Some(&State::Disabled));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_does_not_exist_says_so() {
    let upstream =
        Supervisor::default().supervise(definition(Command::new("/no/such/program", [""; 0])));
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    let reason = status.reason.unwrap();
    assert!(
        reason.starts_with("The program `") && reason.contains("` does not start: "),
        "{reason}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_long_standard_error_is_kept() {
    let mut definition = definition(command("noisy_death"));
    definition.timing.failures = 1;
    let upstream = Supervisor::default().supervise(definition);
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    let output = status.output.unwrap();
    assert!(output.ends_with("line 9999 of many"), "{output}");
    assert!(output.lines().count() == 20 && output.len() < 8 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_upstream_does_not_hold_up_anyone() {
    let mut definition = definition(command("silent"));
    definition.timing.start = Duration::from_millis(100);
    let upstream = Supervisor::default().supervise(definition);
    let mut calling = Calling::new("pid");
    calling.patience = Duration::from_millis(10);
    assert_eq!(calling.on(&upstream).await.unwrap_err().code, Code::Timeout);
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    assert_eq!(status.reason.as_deref(), Some("It was not ready within 100ms."));
}

#[tokio::test(flavor = "multi_thread")]
async fn upstreams_that_hang_do_not_hold_up_the_start_of_another() {
    let mut hanging = definition(command("silent"));
    hanging.timing.start = Duration::from_hours(1);
    let supervisor = Supervisor::default();
    let processors = std::thread::available_parallelism().unwrap().get();
    let _hanging: Vec<_> =
        (0..2 * processors).map(|_| supervisor.supervise(hanging.clone())).collect();
    ready(&supervisor.supervise(definition(command("usual")))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_server_that_ends_at_an_unknown_message_is_started_with_a_handshake() {
    let upstream = supervise("old");
    ready(&upstream).await;
    assert_eq!(upstream.status().server.unwrap().protocol, "2025-06-18");
    let mut stateless = definition(command("usual"));
    stateless.era = Era::Stateless;
    let upstream = Supervisor::default().supervise(stateless);
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    assert!(status.reason.unwrap().starts_with("MCP does not begin: "));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_answers_no_pings_is_started_again() {
    let mut definition = definition(command("deaf"));
    definition.timing.silence = Duration::from_millis(1);
    definition.timing.ping = Duration::from_millis(1);
    let seen = Arc::new(Seen::default());
    let upstream = Supervisor::new(seen.clone()).supervise(definition);
    within(upstream.until(|status| status.starts > 1)).await;
    let reasons = seen.0.lock().unwrap();
    assert!(reasons.iter().any(|(state, reason)| *state == State::Backoff
        && reason.as_deref() == Some("It did not answer 3 pings.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_works_on_a_call_gets_no_pings() {
    let mut definition = definition(command("deaf"));
    definition.timing.silence = Duration::from_millis(500);
    definition.timing.ping = Duration::from_millis(1);
    let upstream = Supervisor::default().supervise(definition);
    let mut calling = Calling::new("hang");
    calling.patience = Duration::from_secs(2);
    assert_eq!(calling.on(&upstream).await.unwrap_err().code, Code::Timeout);
    // A call without an answer makes it suspect.
    within(upstream.until(|status| status.starts > 1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pings_keep_a_quiet_upstream() {
    let mut definition = definition(command("usual"));
    definition.timing.silence = Duration::from_millis(1);
    let upstream = Supervisor::default().supervise(definition);
    ready(&upstream).await;
    for _ in 0..50 {
        text_of("pid", &upstream).await;
    }
    assert_eq!(upstream.status().starts, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_may_start_with_its_first_call_and_stop_unused() {
    let seen = Arc::new(Seen::default());
    let mut definition = definition(command("usual"));
    definition.start = Start::OnCall;
    definition.timing.unused = Duration::from_secs(2);
    let upstream = Supervisor::new(seen.clone()).supervise(definition);
    assert_eq!(upstream.status().state, State::Idle);
    text_of("pid", &upstream).await;
    within(upstream.until(|status| status.state == State::Idle)).await;
    // Its tools are known all the same.
    assert_eq!(upstream.tools().unwrap().tools().len(), 24);
    text_of("pid", &upstream).await;
    assert_eq!(upstream.status().starts, 2);
    let states = seen.states();
    assert_eq!(
        states[..6],
        [
            State::Starting,
            State::Ready,
            State::Stopping,
            State::Idle,
            State::Starting,
            State::Ready
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_switches_off_and_on_and_restarts() {
    let upstream = supervise("usual");
    let first = text_of("pid", &upstream).await;
    upstream.disable();
    within(upstream.until(|status| status.state == State::Off)).await;
    let failure = Calling::new("pid").on(&upstream).await.unwrap_err();
    assert_eq!(
        (failure.code, failure.hint.as_deref()),
        (Code::ProviderUnavailable, Some("Enable the upstream."))
    );
    upstream.enable();
    ready(&upstream).await;
    let second = text_of("pid", &upstream).await;
    assert_ne!(first, second);
    upstream.restart();
    within(upstream.until(|status| status.starts == 3)).await;
    assert_ne!(text_of("pid", &upstream).await, second);
    upstream.stop().await;
    assert_eq!(upstream.status().state, State::Stopped);
    assert_eq!(
        Calling::new("pid").on(&upstream).await.unwrap_err().code,
        Code::ProviderUnavailable
    );
    // There is nothing left to stop or to start.
    upstream.stop().await;
    upstream.restart();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_sees_no_variables_but_its_own() {
    let upstream = Supervisor::default()
        .supervise(definition(command("usual").with_variable("DECLARED", "yes")));
    let names = text_of("environment", &upstream).await;
    let mut names: Vec<String> = serde_json::from_str(&names).unwrap();
    names.retain(|name| !["PATH", "HOME", "LANG"].contains(&name.as_str()));
    names.sort();
    assert_eq!(names, ["DECLARED", "SCRIPTED_MODE"]);
}

#[tokio::test]
async fn many_upstreams_hold_up_nothing() {
    let supervisor = Supervisor::default();
    let upstreams: Vec<_> =
        (0..20).map(|_| supervisor.supervise(definition(command("usual")))).collect();
    // On its only thread, nothing else has run yet.
    assert!(upstreams.iter().all(|upstream| upstream.status().starts == 0));
    for upstream in &upstreams {
        ready(upstream).await;
    }
    let stops = upstreams.iter().map(toolwrit_upstreams::Upstream::stop);
    within(futures::future::join_all(stops)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_without_a_handshake_is_called_pinged_and_followed() {
    let mut definition = definition(command("stateless"));
    definition.timing.silence = Duration::from_millis(1);
    let upstream = Supervisor::default().supervise(definition);
    ready(&upstream).await;
    assert_eq!(upstream.status().server.unwrap().protocol, "2026-07-28");
    assert_eq!(text_of("twice", &upstream).await, "first");
    text_of("change", &upstream).await;
    within(async {
        while upstream.tools().unwrap().get("new").is_none() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(upstream.status().starts, 1);
}

/// A program that writes a line into a file whenever it is started, and is the usual server once another file exists.
#[cfg(unix)]
fn late(folder: &std::path::Path) -> Command {
    let usual = command("usual");
    let script = format!(
        "echo start >> {0}/starts; test -f {0}/mended || exit 3; exec \"$0\" \"$@\"",
        folder.display()
    );
    let words = ["-c".to_owned(), script, usual.program].into_iter().chain(usual.arguments);
    let mut late = Command::new("sh", words);
    late.environment = usual.environment;
    late
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_call_starts_an_upstream_before_its_pause_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut definition = definition(late(folder.path()));
    definition.timing.pauses = vec![Duration::from_hours(1)];
    definition.timing.half_open = Duration::from_hours(1);
    let patient = Supervisor::default().supervise(definition.clone());
    within(patient.until(|status| status.state == State::Backoff)).await;
    definition.timing.half_open = Duration::ZERO;
    let upstream = Supervisor::default().supervise(definition);
    within(upstream.until(|status| status.state == State::Backoff)).await;
    let failure = Calling::new("pid").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    std::fs::write(folder.path().join("mended"), "").unwrap();
    text_of("pid", &upstream).await;
    // Nothing has asked for the other one to be tried early enough.
    let failure = Calling::new("pid").on(&patient).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_costs_one_start_if_the_era_is_known() {
    for (known, starts) in [(None, 4), (Some(Era::Initialize), 2)] {
        let folder = tempfile::tempdir().unwrap();
        let mut definition = definition(late(folder.path()));
        definition.timing.failures = 2;
        definition.known_era = known;
        let upstream = Supervisor::default().supervise(definition);
        within(upstream.until(|status| status.state == State::Disabled)).await;
        let text = std::fs::read_to_string(folder.path().join("starts")).unwrap();
        assert_eq!(text.lines().count(), starts, "{known:?}");
    }
}
