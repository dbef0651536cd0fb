//! Three replicas behind the balancer are to a client what one server is: the conformance suite of MCP finds no difference.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use toolwrit_tests::cluster::Cluster;
use toolwrit_tests::conformance::Suite;

/// Runs the scenarios of a revision through the balancer.
fn conforms(revision: &str, scenarios: usize) {
    let Some(suite) = Suite::find() else { return };
    let program = Path::new(env!("CARGO_BIN_EXE_conformance-server"));
    let Some(cluster) = Cluster::of(program, &["--sessions", "64"]) else { return };
    cluster.in_use();
    let address = forwarded(cluster.balancer.address);
    suite.conforms(&format!("http://{address}/mcp"), revision, scenarios);
}

/// Passes on connections from a free port of this machine: some scenarios are only for servers with the address 127.0.0.1.
fn forwarded(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // It ends with the test.
    thread::spawn(move || {
        for from in listener.incoming().map_while(Result::ok) {
            let Ok(to) = TcpStream::connect(to) else { continue };
            for (mut from, mut to) in
                [(from.try_clone().unwrap(), to.try_clone().unwrap()), (to, from)]
            {
                thread::spawn(move || {
                    // Either side may close, and the other one is then told.
                    let _ = io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    address
}

#[test]
fn the_requirements_of_2025_11_25_are_met_through_the_balancer() {
    conforms("2025-11-25", 30);
}

#[test]
fn the_requirements_of_2026_07_28_are_met_through_the_balancer() {
    conforms("2026-07-28", 37);
}
