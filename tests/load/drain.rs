//! The server is stopped while all clients continue to call: every acknowledged change was made, and every
//! change that was made was acknowledged.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::vaults;

use crate::load::IN_FLIGHT;

/// The number of answers after which the server is stopped.
const ENOUGH: usize = 500;

/// Appends lines until the server accepts no more, and returns how many it acknowledged.
fn append(server: &Server, client: usize, answered: &AtomicUsize) -> usize {
    let mut socket = Socket::connect(server);
    let line = json!({"path": format!("Log {client}"), "content": "line"});
    let mut lines = 0;
    loop {
        // Between two requests the connection may be closed; then nothing more is appended.
        if socket.try_begin_call(Era::ALL[client % 2], "vault_append", &line).is_err() {
            return lines;
        }
        let Some(answer) = socket.answer() else { return lines };
        if answer.status == 503 {
            return lines;
        }
        assert_eq!(answer.status, 200, "{answer:?}");
        let mut answer: Value = serde_json::from_str(&answer.body).unwrap();
        CallResult(answer["result"].take()).ok();
        lines += 1;
        if answered.fetch_add(1, SeqCst) == ENOUGH {
            let pid = i32::try_from(server.child.id()).unwrap();
            kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
        }
    }
}

#[test]
fn a_drain_under_load_answers_every_request() {
    let (home, vault) = (Home::new(), vaults::empty());
    let folder = vault.path().to_str().unwrap();
    let mut server = home.serve(toolwrit(), &["--vault", folder]);
    let answered = AtomicUsize::new(0);
    let lines: Vec<usize> = std::thread::scope(|scope| {
        let (server, answered) = (&server, &answered);
        let clients: Vec<_> = (0..IN_FLIGHT)
            .map(|client| scope.spawn(move || append(server, client, answered)))
            .collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert_eq!(server.wait(), Some(0));
    assert!(lines.iter().sum::<usize>() > ENOUGH);
    for (client, lines) in lines.into_iter().enumerate() {
        let log = vault.path().join(format!("Log {client}.md"));
        let log = std::fs::read_to_string(log).unwrap_or_default();
        assert_eq!(log.matches("line").count(), lines, "client {client}");
    }
}
