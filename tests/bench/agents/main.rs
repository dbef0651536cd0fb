//! Agents on each surface: what they get done, and what it costs.
//!
//! `cargo bench -p toolwrit-tests --bench agents` lets the scripted agent do the tasks of `tests/agents/tasks.yaml`. With
//! `OPENAI_BASE_URL`, and `OPENAI_MODEL` and `OPENAI_API_KEY` as the endpoint wants them, a model does them, too. Prints Markdown,
//! and asserts nothing. Needs `cargo build` of the workspace. Names of surfaces as arguments choose among them.
#![expect(clippy::print_stdout, reason = "a benchmark")]

#[path = "../../agents/mod.rs"]
mod agents;
mod model;

use agents::policy;
use agents::report::Report;
use agents::worlds::Surface;
use model::Endpoint;

fn main() {
    // Cargo adds `--bench`.
    let named: Vec<String> =
        std::env::args().skip(1).filter(|name| !name.starts_with("--")).collect();
    let is_chosen =
        |surface: &Surface| named.is_empty() || named.iter().any(|name| name == surface.name());
    let surfaces: Vec<Surface> = Surface::ALL.into_iter().filter(is_chosen).collect();
    let scripted = Report::of(&surfaces, &policy::run);
    println!("The scripted agent:\n\n{scripted}\n{}", scripted.tasks());
    let Some(endpoint) = Endpoint::from_environment() else {
        println!("Set OPENAI_BASE_URL to measure a model, too.");
        return;
    };
    let asked = Report::of(&surfaces, &|task, _, served| model::run(task, &endpoint, served));
    println!("{}:\n\n{asked}\n{}", endpoint.model, asked.tasks());
}
