//! Very many clients at once.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::json;
use toolwrit_tests::drivers::socket::Socket;

use crate::hostile::transport::Http;

/// More than the server's limit, so some wait to be accepted.
pub(crate) const CROWD: usize = 1_100;

/// Allows enough sockets for this process and, as it inherits the limit, for the server.
pub(crate) fn allow_many_files() {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let wanted = u64::try_from(3 * CROWD).unwrap();
    if soft < wanted {
        setrlimit(Resource::RLIMIT_NOFILE, wanted.min(hard), hard).unwrap();
    }
}

/// A thousand connections that send nothing are closed in time, and then others are served.
#[test]
fn idle_connections_do_not_exhaust_the_server() {
    allow_many_files();
    let mut transport = Http::open();
    let mut idle: Vec<Socket> = (0..CROWD).map(|_| Socket::connect(&transport.server)).collect();
    // A kept connection is idle, too, and may be closed while a request is on its way.
    transport.server.disconnect();
    transport.still_serves("idle connections");
    // The first connections were closed long ago; later ones may still be waiting.
    assert!(idle[0].is_ended());
}

/// A thousand clients that initialize and never return.
#[test]
fn a_thousand_initializations_leave_no_memory() {
    let transport = Http::open();
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "x".repeat(10_000), "version": "1"},
    });
    let client = transport.server.client("");
    for _ in 0..1_000 {
        let answer = client.request("initialize", hello.clone());
        assert_eq!(answer.result()["protocolVersion"], "2025-11-25");
    }
    transport.still_serves("a thousand beginnings");
}
