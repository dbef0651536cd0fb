//! A stopping server answers every request that it accepted.

use std::net::TcpStream;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::lab;
use toolwrit_tests::waiting::{found, until};

fn signal(server: &Server, signal: Signal) {
    let pid = i32::try_from(server.child.id()).unwrap();
    kill(Pid::from_raw(pid), signal).unwrap();
}

fn exit_code(mut server: Server) -> Option<i32> {
    server.wait()
}

#[test]
fn requests_in_flight_are_answered_while_readyz_is_503() {
    for stop in [Signal::SIGTERM, Signal::SIGINT] {
        let home = Home::new();
        let server = home.serve(lab(), &["--surface", "flat"]);
        let mut watcher = Socket::connect(&server);
        assert_eq!(watcher.get("/readyz"), 200);
        // As many as may run at once, and all are running.
        let mut working: Vec<Socket> = (0..4).map(|_| Socket::connect(&server)).collect();
        for (socket, era) in working.iter_mut().zip(Era::ALL.iter().cycle()) {
            socket.begin_call(*era, "lab_wait", &json!({"millis": 8000, "steps": 100}), true);
            assert_eq!(socket.next_event().unwrap()["method"], "notifications/progress");
        }
        signal(&server, stop);
        until("the stop", || watcher.get("/readyz") != 200);
        assert_eq!(watcher.get("/readyz"), 503);
        assert_eq!(watcher.get("/healthz"), 200);
        until("no more connections", || TcpStream::connect(server.address()).is_err());
        watcher.begin_call(Era::Initialize, "lab_tally", &json!({}), false);
        assert_eq!(watcher.status(), 503);

        for socket in &mut working {
            let last = std::iter::from_fn(|| socket.next_event()).last().unwrap();
            assert_eq!(last["result"]["content"][0]["text"], "waited", "{last}");
        }
        assert_eq!(exit_code(server), Some(0));
    }
}

/// The balancer's view of a server that stops: it learns it first from `/readyz`, on a connection of its own each time.
#[test]
fn during_the_delay_the_server_still_serves_and_sends_clients_elsewhere() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat", "--drain-delay", "3s"]);
    let mut kept = Socket::connect(&server);
    assert_eq!(kept.get("/readyz"), 200);
    signal(&server, Signal::SIGTERM);
    let stopping = found("the announcement", || {
        let answer = server.get("/readyz", &[]);
        (answer.status == 503).then_some(answer)
    });
    assert_eq!(stopping.error()["message"], "the server is stopping");
    assert_eq!(stopping.headers["connection"], "close");
    // Neither an open connection nor a new one is refused, and each is told to be the last.
    for socket in [&mut kept, &mut Socket::connect(&server)] {
        socket.begin_call(Era::Initialize, "lab_echo", &json!({"text": "still here"}), false);
        let answer = socket.answer().unwrap();
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
        assert!(answer.body.contains("still here"), "{answer:?}");
        assert!(socket.is_ended());
    }
    until("no more connections", || TcpStream::connect(server.address()).is_err());
    assert_eq!(exit_code(server), Some(0));
}

#[test]
fn a_second_signal_ends_the_delay_at_once() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat", "--drain-delay", "1h"]);
    assert_eq!(server.get("/readyz", &[]).status, 200);
    signal(&server, Signal::SIGTERM);
    until("the announcement", || server.get("/readyz", &[]).status == 503);
    signal(&server, Signal::SIGTERM);
    assert_eq!(exit_code(server), Some(1));
}

#[test]
fn a_second_signal_ends_at_once() {
    let home = Home::new();
    let server = home.serve(lab(), &["--surface", "flat"]);
    let mut watcher = Socket::connect(&server);
    let mut lingering = Socket::connect(&server);
    lingering.begin_call(Era::Initialize, "lab_linger", &json!({}), true);
    assert_eq!(lingering.next_event().unwrap()["params"]["message"], "lingering");
    signal(&server, Signal::SIGTERM);
    until("the stop", || watcher.get("/readyz") != 200);
    signal(&server, Signal::SIGTERM);
    let code = exit_code(server);
    assert!(code.is_some_and(|code| code != 0), "{code:?}");
}

/// A server that is started by `env` with this option for SIGHUP.
#[cfg(target_os = "linux")]
fn serve_under(home: &Home, option: &str) -> Server {
    let lab = lab().to_str().unwrap();
    let arguments = [option, lab, "serve", "--http", "127.0.0.1:0", "--surface", "flat"];
    Server::start(home.command(std::path::Path::new("/usr/bin/env"), &arguments))
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_stops_the_server_after_its_answers() {
    let home = Home::new();
    let server = serve_under(&home, "--default-signal=HUP");
    let mut working = Socket::connect(&server);
    let wait = json!({"millis": 500, "steps": 10});
    working.begin_call(Era::Initialize, "lab_wait", &wait, true);
    assert_eq!(working.next_event().unwrap()["method"], "notifications/progress");
    signal(&server, Signal::SIGHUP);
    let last = std::iter::from_fn(|| working.next_event()).last().unwrap();
    assert_eq!(last["result"]["content"][0]["text"], "waited", "{last}");
    assert_eq!(exit_code(server), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_under_nohup_outlives_its_terminal() {
    let home = Home::new();
    let server = serve_under(&home, "--ignore-signal=HUP");
    signal(&server, Signal::SIGHUP);
    let mut working = Socket::connect(&server);
    working.begin_call(Era::Initialize, "lab_wait", &json!({"millis": 200, "steps": 2}), true);
    let last = std::iter::from_fn(|| working.next_event()).last().unwrap();
    assert_eq!(last["result"]["content"][0]["text"], "waited", "{last}");
    assert_eq!(server.get("/readyz", &[]).status, 200);
}
