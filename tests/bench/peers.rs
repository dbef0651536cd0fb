//! Compares the same echo on the engine, the TypeScript SDK and `FastMCP`, with the same driver,
//! alternating in the same run. Prints Markdown tables of ratios; asserts nothing, because a build must not
//! fail on a busy machine. `tests/bench/peers/install` installs the peers.
#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::path::Path;
use std::process::Command;

use toolwrit_tests::drivers::benchmark::{Figures, HEAD, Subject, Way, laboratory, line, ratio};
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

/// The variable with the path of another version of Node, whose figures are then printed, too.
const OTHER_NODE: &str = "TOOLWRIT_OTHER_NODE";

fn typescript_on_other_node(port: Option<u16>) -> Command {
    script(std::env::var_os(OTHER_NODE).unwrap_or_default(), "echo.mjs", port)
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

fn peers() -> Vec<Peer> {
    let mut peers = vec![
        Peer { name: "toolwrit", command: laboratory, calls: 40_000 },
        Peer { name: "TypeScript SDK", command: typescript, calls: 40_000 },
        Peer { name: "FastMCP", command: fastmcp, calls: 500 },
    ];
    if std::env::var_os(OTHER_NODE).is_some() {
        let name = "TypeScript SDK, other Node";
        peers.push(Peer { name, command: typescript_on_other_node, calls: 40_000 });
    }
    peers
}

fn main() {
    let installed = workspace().join("tests/bench/peers");
    let sdk = installed.join("node_modules/@modelcontextprotocol/sdk");
    let python = installed.join(".venv/bin/python");
    let needs = [
        Need::Program(Path::new("node"), (20, 0)),
        Need::File(&sdk),
        Need::Program(&python, (3, 11)),
    ];
    if !met(&needs, "tests/bench/peers/install") {
        return;
    }
    let peers = peers();
    for way in Way::ALL {
        let mut running: Vec<Subject> =
            peers.iter().map(|peer| Subject::start(way, peer.command)).collect();
        let mut figures: Vec<Figures> = peers.iter().map(|_| Figures::default()).collect();
        // The first round is a warm-up.
        for (peer, subject) in peers.iter().zip(&mut running) {
            Figures::default().round(subject, peer.calls(way));
        }
        for _ in 0..ROUNDS {
            for ((peer, subject), figures) in peers.iter().zip(&mut running).zip(&mut figures) {
                figures.round(subject, peer.calls(way));
            }
        }
        let rows: Vec<_> = figures.iter().map(Figures::row).collect();
        println!("\n{}\n\n{HEAD}", way.name());
        for (peer, row) in peers.iter().zip(&rows) {
            println!("{}", line(peer.name, *row));
        }
        for (peer, row) in peers.iter().zip(&rows).skip(1) {
            println!("{}", ratio(&format!("toolwrit / {}", peer.name), rows[0], *row));
        }
    }
}
