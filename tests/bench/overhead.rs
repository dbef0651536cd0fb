//! Compares the engine with bare rmcp: the same echo through the full pipeline and directly on rmcp, with
//! the same driver, alternating in the same run. Prints Markdown tables of ratios; asserts nothing, because
//! a build must not fail on a busy machine.
#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::process::Command;
use std::time::Duration;

use toolwrit_tests::driver::{Figures, HEAD, Subject, Way, laboratory, line, ratio, sibling};

const ROUNDS: usize = 15;
const CALLS: usize = 4_000;

fn bare(port: Option<u16>) -> Command {
    let mut command = Command::new(sibling("bare"));
    command.args(port.map(|port| port.to_string()));
    command
}

/// The median of several starts, in milliseconds.
fn start(way: Way, command: fn(Option<u16>) -> Command) -> f64 {
    let mut starts: Vec<Duration> =
        (0..ROUNDS).map(|_| Subject::start(way, command).first_answer).collect();
    starts.sort_unstable();
    starts[ROUNDS / 2].as_secs_f64() * 1e3
}

fn main() {
    for way in Way::ALL {
        let starts = [start(way, bare), start(way, laboratory)];
        let (mut bare, mut lab) = (Subject::start(way, bare), Subject::start(way, laboratory));
        // The first round is a warm-up.
        let (mut bare_figures, mut lab_figures) = (Figures::default(), Figures::default());
        Figures::default().round(&mut bare, CALLS);
        Figures::default().round(&mut lab, CALLS);
        for _ in 0..ROUNDS {
            bare_figures.round(&mut bare, CALLS);
            lab_figures.round(&mut lab, CALLS);
        }
        let (bare, lab) = (bare_figures.row(), lab_figures.row());
        println!("\n{}\n\n{HEAD}", way.name());
        println!("{}", line("bare rmcp", bare));
        println!("{}", line("toolwrit", lab));
        println!("{}", ratio("ratio", lab, bare));
        println!("\nstart to first answer: {:.1} ms, {:.1} ms", starts[0], starts[1]);
    }
}
