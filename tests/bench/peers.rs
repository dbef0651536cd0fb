//! The same echo on the engine, on the TypeScript SDK and on `FastMCP`: same driver, same run,
//! alternating. Prints Markdown tables of ratios; asserts nothing, as a busy machine must not fail a
//! build. What it needs is installed with `tests/bench/peers/install`.
#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::path::Path;
use std::process::Command;

use toolwrit_tests::driver::{Figures, HEAD, Subject, Way, laboratory, line, ratio};
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

const ROUNDS: usize = 5;
const CALLS: usize = 2_000;

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

type Peer = (&'static str, fn(Option<u16>) -> Command);

const PEERS: [Peer; 3] =
    [("toolwrit", laboratory), ("TypeScript SDK", typescript), ("FastMCP", fastmcp)];

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
        let mut running = PEERS.map(|(_, command)| Subject::start(way, command));
        let mut figures = PEERS.map(|_| Figures::default());
        // The first round warms them up.
        for subject in &mut running {
            Figures::default().round(subject, CALLS);
        }
        for _ in 0..ROUNDS {
            for (figures, subject) in figures.iter_mut().zip(&mut running) {
                figures.round(subject, CALLS);
            }
        }
        let rows = figures.map(|figures| figures.row());
        println!("\n{}\n\n{HEAD}", way.name());
        for ((name, _), row) in PEERS.iter().zip(rows) {
            println!("{}", line(name, row));
        }
        for ((name, _), row) in PEERS.iter().zip(rows).skip(1) {
            println!("{}", ratio(&format!("toolwrit / {name}"), rows[0], row));
        }
    }
}
