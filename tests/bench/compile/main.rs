//! Compares the build cost of an author's crate with that of the same operations as rmcp `#[tool]`
//! functions.
//!
//! `cargo bench -p toolwrit-tests --bench compile` prints a Markdown table; `-- --long` adds rmcp at 2,000
//! operations, which takes long. It asserts nothing, because a build must not fail on a busy machine. The
//! programs are written to `target/tmp`. Their dependencies are built first and not counted.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

mod builds;
mod cost;
mod program;
mod rmcp_program;

use std::process::ExitCode;

use builds::Builds;
use cost::Cost;
use program::Program;

/// Builds of each program. The cheapest one is used, because other work on the machine only adds cost.
const RUNS: usize = 3;

fn main() -> ExitCode {
    if let Some(code) = cost::as_wrapper() {
        return code;
    }
    let long = std::env::args().any(|argument| argument == "--long");
    let toolwrit = [75, 500, 2000].map(Program::toolwrit);
    let rmcp = [75, 500].map(Program::rmcp).into_iter().chain(long.then(|| Program::rmcp(2000)));
    let programs: Vec<Program> = toolwrit.into_iter().chain(rmcp).collect();
    let builds = Builds::write(&programs);
    println!("| program | operations | clean, CPU s | after one edit, CPU s | linker, CPU s |");
    println!("|---|---:|---:|---:|---:|");
    for program in &programs {
        builds.build_dependencies(program);
        let clean = cheapest(|_| builds.build_clean(program));
        let edited = cheapest(|run| builds.build_edited(program, run));
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} |",
            program.kind, program.operations, clean.compiler, edited.compiler, clean.linker
        );
    }
    ExitCode::SUCCESS
}

fn cheapest(mut build: impl FnMut(usize) -> Cost) -> Cost {
    let costs = (0..RUNS).map(&mut build);
    costs.min_by(|a, b| a.compiler.total_cmp(&b.compiler)).unwrap()
}
