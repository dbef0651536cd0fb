//! Upstreams that end, and ours that is killed.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use toolwrit_upstreams::model::{Command as Program, Definition, Endpoint, Timing};
use toolwrit_upstreams::{Code, State, Supervisor, Upstream};

use crate::{Calling, Seen, definition, ready, scripted, supervise, text_of, within};
use toolwrit_requirement::number;

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// Whether a process runs. One that has ended and was not waited for does not, once all its threads have ended.
fn runs(pid: Pid) -> bool {
    let folder = format!("/proc/{}", pid.as_raw_nonzero());
    let Ok(status) = std::fs::read_to_string(format!("{folder}/stat")) else { return false };
    let threads = std::fs::read_dir(format!("{folder}/task")).map_or(0, Iterator::count);
    // The state follows the name, which is in parentheses.
    threads > 1 || !status.rsplit(") ").next().unwrap().starts_with(['Z', 'X'])
}

/// Waits until a process has ended. Its end cannot be waited for otherwise, because it is not a child.
async fn gone(pid: Pid) {
    within(async {
        while runs(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_upstream_answers_the_next_call() {
    let upstream = supervise("usual");
    let kills = number(20, 100_u64);
    for _ in 0..kills {
        let victim = pid(&text_of("pid", &upstream).await);
        kill_process(victim, Signal::KILL).unwrap();
        gone(victim).await;
        let begun = Instant::now();
        let next = pid(&text_of("pid", &upstream).await);
        assert_ne!(next, victim);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
    assert_eq!(upstream.status().starts, kills + 1);
    let last = pid(&text_of("pid", &upstream).await);
    upstream.stop().await;
    assert!(!runs(last));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_is_carried_out_twice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record").to_str().unwrap().to_owned();
    let upstream = supervise("usual");
    let ended = AtomicBool::new(false);
    let workers = (0..8).map(async |worker| {
        let (mut answered, mut lost) = (Vec::new(), 0);
        for call in 0.. {
            if ended.load(Ordering::SeqCst) {
                break;
            }
            let id = worker * 1_000_000 + call;
            let calling = Calling::new("record").with("file", file.as_str()).with("id", id);
            match calling.on(&upstream).await {
                Ok(_) => answered.push(id),
                Err(failure) => {
                    assert_eq!(
                        (&failure.code, failure.sent),
                        (&Code::UpstreamError, true),
                        "{failure}"
                    );
                    lost += 1;
                }
            }
        }
        (answered, lost)
    });
    let killer = async {
        for _ in 0..30 {
            // The call may be the one that is lost.
            if let Ok(answer) = Calling::new("pid").on(&upstream).await {
                let _ = kill_process(pid(crate::text(&answer)), Signal::KILL);
            }
        }
        ended.store(true, Ordering::SeqCst);
    };
    let work = Box::pin(async { tokio::join!(futures::future::join_all(workers), killer) });
    let (results, ()) = within(work).await;
    let record = std::fs::read_to_string(&file).unwrap();
    let mut recorded = HashMap::<i64, usize>::new();
    for id in record.lines() {
        *recorded.entry(id.parse().unwrap()).or_default() += 1;
    }
    assert!(recorded.values().all(|times| *times == 1), "{recorded:?}");
    for (answered, lost) in results {
        assert!(answered.iter().all(|id| recorded.contains_key(id)));
        assert!(lost <= 30, "{lost} calls were lost");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_in_flight_fail_when_the_upstream_ends() {
    let upstream = supervise("usual");
    ready(&upstream).await;
    let hanging = (0..20).map(|_| Calling::new("hang").on(&upstream));
    let dying = async {
        text_of("pid", &upstream).await;
        Calling::new("die").on(&upstream).await
    };
    let (failures, last) =
        within(Box::pin(async { tokio::join!(futures::future::join_all(hanging), dying) })).await;
    for failure in failures.into_iter().chain([last]) {
        let failure = failure.unwrap_err();
        assert_eq!((failure.code.clone(), failure.sent), (Code::UpstreamError, true), "{failure}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_that_ends_says_why() {
    let seen = Arc::new(Seen::default());
    let mut definition = definition(crate::command("usual"));
    definition.timing.failures = 1;
    let upstream = Supervisor::new(seen.clone()).supervise(definition);
    ready(&upstream).await;
    Calling::new("die").on(&upstream).await.unwrap_err();
    let status = within(upstream.until(|status| status.state == State::Disabled)).await;
    assert_eq!(status.reason.as_deref(), Some("The program ended with exit status: 7."));
    assert_eq!(status.output.as_deref(), Some("cannot go on"));
    assert_eq!(seen.states(), [State::Starting, State::Ready, State::Disabled]);
    let failure = Calling::new("pid").on(&upstream).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert!(failure.message.contains("exit status: 7"), "{}", failure.message);
    assert!(failure.retry_after.is_some());
}

/// A program that ends neither with its standard input nor with SIGTERM, with a child that runs the server and one
/// that does not end by itself. It writes their ids to a file.
fn stubborn(file: &str) -> Program {
    let server = crate::command("usual");
    let script = r#"trap '' TERM; sleep 1000 & echo "$$ $!" > "$0"; "$@"; sleep 1000; sleep 1000"#;
    let mut arguments = vec!["-c".to_owned(), script.to_owned(), file.to_owned(), server.program];
    arguments.extend(server.arguments);
    Program { environment: server.environment, ..Program::new("sh", arguments) }
}

fn ids(file: &str) -> Vec<Pid> {
    std::fs::read_to_string(file).unwrap().split_whitespace().map(pid).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_remains_of_a_stubborn_upstream() {
    let folder = tempfile::tempdir().unwrap();
    for end in ["stop", "drop", "disable", "kill"] {
        let file = folder.path().join(end).to_str().unwrap().to_owned();
        let mut definition = definition(stubborn(&file));
        definition.timing.stop = Duration::from_millis(50);
        let upstream = Supervisor::default().supervise(definition);
        let mut processes = vec![pid(&text_of("pid", &upstream).await)];
        processes.extend(ids(&file));
        assert!(processes.iter().all(|process| runs(*process)));
        match end {
            "stop" => upstream.stop().await,
            "drop" => drop(upstream),
            "disable" => {
                upstream.disable();
                within(upstream.until(|status| status.state == State::Off)).await;
            }
            // Its leader is killed, so that the others are left.
            _ => kill_process(processes[1], Signal::KILL).unwrap(),
        }
        for process in processes {
            gone(process).await;
        }
    }
}

/// The variable that makes this test program supervise stubborn upstreams until it is killed.
const FOLDER: &str = "SUPERVISED_FOLDER";
/// Upstreams of a program that is killed.
const UPSTREAMS: usize = 2;

#[tokio::test(flavor = "multi_thread")]
async fn supervise_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let supervisor = Supervisor::default();
    let upstreams: Vec<Upstream> = (0..UPSTREAMS)
        .map(|n| {
            let endpoint = Endpoint::Command(stubborn(&format!("{folder}/{n}")));
            let timing = Timing { stop: Duration::from_mins(1), ..Timing::default() };
            supervisor.supervise(Definition { timing, ..Definition::new("stubborn", endpoint) })
        })
        .collect();
    for upstream in &upstreams {
        println!("PID {}", text_of("pid", upstream).await);
    }
    println!("READY");
    std::future::pending::<()>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_remains_when_this_program_is_killed() {
    for _ in 0..number(20, 100) {
        let folder = tempfile::tempdir().unwrap();
        let mut program = Command::new(std::env::current_exe().unwrap())
            .args(["deaths::supervise_until_killed", "--exact", "--nocapture"])
            .env(FOLDER, folder.path())
            .env_remove(scripted::MODE)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(program.stdout.take().unwrap()).lines().map(Result::unwrap);
        let lines: Vec<String> = lines.take_while(|line| line != "READY").collect();
        let told = lines.iter().filter_map(|line| line.split_once("PID "));
        let mut processes: Vec<Pid> = told.map(|(_, told)| pid(told)).collect();
        assert_eq!(processes.len(), UPSTREAMS);
        for n in 0..UPSTREAMS {
            processes.extend(ids(folder.path().join(n.to_string()).to_str().unwrap()));
        }
        assert!(processes.iter().all(|process| runs(*process)));
        program.kill().unwrap();
        program.wait().unwrap();
        for process in processes {
            gone(process).await;
        }
    }
}
