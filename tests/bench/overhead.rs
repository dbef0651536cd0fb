//! Compares the engine with bare rmcp: the same echo through the full pipeline and directly on rmcp, with
//! the same driver, alternating in the same run. Prints Markdown tables of ratios; asserts nothing, because
//! a build must not fail on a busy machine.
//!
//! With two folders as arguments, it compares the programs `lab` and `bare` of two builds instead:
//! `cargo bench -p toolwrit-tests --bench overhead -- target/release target/dist`.
#![expect(clippy::print_stdout, reason = "a benchmark")]

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use toolwrit_tests::drivers::benchmark::{
    Figures, HEAD, Subject, Way, builds, laboratory_in, line, own_folder, ratio,
};

const ROUNDS: usize = 15;
const CALLS: usize = 4_000;
/// Rounds and calls that compare builds: few rounds, each long enough for the kernel's clock of processor time.
const ROUNDS_OF_BUILDS: usize = 5;
const CALLS_OF_BUILDS: usize = 20_000;

/// A program of a folder, with the port that it serves.
type Program = fn(&Path, Option<u16>) -> Command;

fn bare_in(folder: &Path, port: Option<u16>) -> Command {
    let mut command = Command::new(folder.join("bare"));
    command.args(port.map(|port| port.to_string()));
    command
}

/// Measures two programs over a transport, alternating. Returns their figures, and the median of several starts
/// of each in milliseconds.
fn measure(
    way: Way,
    programs: [(&Path, Program); 2],
    rounds: usize,
    calls: usize,
) -> ([Figures; 2], [f64; 2]) {
    let start =
        |(folder, program): (&Path, Program)| Subject::start(way, |port| program(folder, port));
    let mut starts: [Vec<Duration>; 2] = Default::default();
    for _ in 0..rounds {
        for (starts, program) in starts.iter_mut().zip(programs) {
            starts.push(start(program).first_answer);
        }
    }
    let starts = starts.map(|mut starts| {
        starts.sort_unstable();
        starts[rounds / 2].as_secs_f64() * 1e3
    });
    let mut subjects = programs.map(start);
    let mut figures: [Figures; 2] = Default::default();
    // The first round is a warm-up.
    for subject in &mut subjects {
        Figures::default().round(subject, calls);
    }
    for _ in 0..rounds {
        for (figures, subject) in figures.iter_mut().zip(&mut subjects) {
            figures.round(subject, calls);
        }
    }
    (figures, starts)
}

/// Prints the rows of two programs, and the ratios of the second to the first.
fn table(title: &str, names: [&str; 2], rows: [[f64; 5]; 2], starts: [f64; 2]) {
    println!("\n{title}\n\n{HEAD}");
    for (name, row) in names.iter().zip(rows) {
        println!("{}", line(name, row));
    }
    println!("{}", ratio("ratio", rows[1], rows[0]));
    let [first, second] = starts;
    let ratio = second / first;
    println!("\nstart to first answer: {first:.1} ms, {second:.1} ms, ratio {ratio:.2}");
}

fn main() {
    let Some(builds) = builds() else {
        let own = own_folder();
        for way in Way::ALL {
            let programs = [(&*own, bare_in as Program), (&*own, laboratory_in)];
            let (figures, starts) = measure(way, programs, ROUNDS, CALLS);
            table(way.name(), ["bare rmcp", "toolwrit"], figures.map(|all| all.row()), starts);
        }
        return;
    };
    let names = builds.each_ref().map(|folder| folder.display().to_string());
    let names = names.each_ref().map(String::as_str);
    for way in Way::ALL {
        for (name, program) in [("lab", laboratory_in as Program), ("bare", bare_in)] {
            let programs = builds.each_ref().map(|folder| (&**folder, program));
            let (figures, starts) = measure(way, programs, ROUNDS_OF_BUILDS, CALLS_OF_BUILDS);
            let title = format!("{name}, {}", way.name());
            table(&title, names, figures.map(|all| all.medians()), starts);
        }
    }
}
