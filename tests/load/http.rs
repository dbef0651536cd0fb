//! Load over HTTP, with cancellation by disconnecting.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use serde_json::Value;
use toolwrit_tests::drivers::client::{CallResult, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::drivers::socket::Socket;
use toolwrit_tests::memory::resident;
use toolwrit_tests::program::toolwrit;

use crate::load::{CALLS, IN_FLIGHT, ONE_HEAP, WARM, check_growth, is_cancelled, notes};

/// Makes calls up to this number, on a connection that is kept while its calls are answered.
fn client(server: &Server, next: &AtomicU64, until: u64) {
    let mut socket = Socket::connect(server);
    loop {
        let number = next.fetch_add(1, SeqCst);
        if number >= until {
            break;
        }
        let era = if number.is_multiple_of(2) { Era::Initialize } else { Era::Stateless };
        let (tool, arguments) = notes::call(number);
        socket.begin_call(era, tool, &arguments, false);
        if is_cancelled(number) {
            socket = Socket::connect(server);
            continue;
        }
        let answer = socket.answer().unwrap_or_else(|| panic!("no answer to call {number}"));
        assert_eq!(answer.status, 200, "call {number}: {answer:?}");
        let mut answer: Value = serde_json::from_str(&answer.body).unwrap();
        notes::check_result(number, CallResult(answer["result"].take()));
    }
    // The next answer is to the next request, so none was sent twice.
    assert_eq!(socket.get("/healthz"), 200);
}

#[test]
fn every_request_over_http_is_answered_once() {
    let vault = notes::vault();
    let home = Home::new();
    let vault_flag = ["--vault", vault.path().to_str().unwrap()];
    let flags = [&["serve", "--http", "127.0.0.1:0"], &vault_flag[..]].concat();
    let mut command = home.command(toolwrit(), &flags);
    command.env(ONE_HEAP.0, ONE_HEAP.1);
    let server = Server::start(command);
    let pid = server.child.id();
    let crowd = |calls: Range<u64>| {
        let next = AtomicU64::new(calls.start);
        std::thread::scope(|scope| {
            for _ in 0..IN_FLIGHT {
                scope.spawn(|| client(&server, &next, calls.end));
            }
        });
    };
    crowd(0..WARM);
    let warm = resident(pid);
    crowd(WARM..CALLS);
    check_growth(pid, warm);
    // Cancelled calls may still write.
    server.stop();
    notes::check_vault(vault.path());
}
