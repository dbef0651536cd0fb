//! Compares the same echo on the engine, the TypeScript SDK and `FastMCP`, with the same driver,
//! alternating in the same run. Prints Markdown tables of ratios; asserts nothing, because a build must not
//! fail on a busy machine. `tests/bench/peers/install` installs the peers.
#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::path::Path;
use std::process::Command;

use toolwrit_tests::driver::{Figures, HEAD, Subject, Way, laboratory, line, ratio};
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

const ROUNDS: usize = 7;

fn script(interpreter: impl AsRef<Path>, name: &str, port: Option<u16>) -> Command {
    let mut command = Command::new(interpreter.as_ref());
    command.arg(workspace().join("tests/bench/peers").join(name));
    command.args(port.map(|port| port.to_string()));
    command
}

fn typescript(port: Option<u16>) -> Command {
    script("node", "echo.mjs", port)
}

fn fastmcp(port: Option<u16>) -> Command {
    script(workspace().join("tests/bench/peers/.venv/bin/python"), "echo.py", port)
}

struct Peer {
    name: &'static str,
    command: fn(Option<u16>) -> Command,
    /// Calls in a round over standard streams, enough for some tenths of a second.
    calls: usize,
}

impl Peer {
    /// Over HTTP a call of a peer takes several times as long.
    fn calls(&self, way: Way) -> usize {
        if way == Way::Http { self.calls / 10 } else { self.calls }
    }
}

const PEERS: [Peer; 3] = [
    Peer { name: "toolwrit", command: laboratory, calls: 40_000 },
    Peer { name: "TypeScript SDK", command: typescript, calls: 40_000 },
    Peer { name: "FastMCP", command: fastmcp, calls: 500 },
];

fn main() {
    let peers = workspace().join("tests/bench/peers");
    let sdk = peers.join("node_modules/@modelcontextprotocol/sdk");
    let python = peers.join(".venv/bin/python");
    let needs = [
        Need::Program(Path::new("node"), (20, 0)),
        Need::File(&sdk),
        Need::Program(&python, (3, 11)),
    ];
    if !met(&needs, "tests/bench/peers/install") {
        return;
    }
    for way in Way::ALL {
        let mut running = PEERS.map(|peer| Subject::start(way, peer.command));
        let mut figures = PEERS.map(|_| Figures::default());
        // The first round is a warm-up.
        for (peer, subject) in PEERS.iter().zip(&mut running) {
            Figures::default().round(subject, peer.calls(way));
        }
        for _ in 0..ROUNDS {
            for ((peer, subject), figures) in PEERS.iter().zip(&mut running).zip(&mut figures) {
                figures.round(subject, peer.calls(way));
            }
        }
        let rows = figures.map(|figures| figures.row());
        println!("\n{}\n\n{HEAD}", way.name());
        for (peer, row) in PEERS.iter().zip(rows) {
            println!("{}", line(peer.name, row));
        }
        for (peer, row) in PEERS.iter().zip(rows).skip(1) {
            println!("{}", ratio(&format!("toolwrit / {}", peer.name), rows[0], row));
        }
    }
}
