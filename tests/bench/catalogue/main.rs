//! Compares the tokens of a tool list on the flat and the meta surface: the listing, and tasks that consist
//! of a search, a description and a call. Tokens are those of o200k.
//!
//! `cargo bench -p toolwrit-tests --bench catalogue -- TOOLS.json` takes any result of `tools/list`,
//! `{"tools": [..]}`, generates a manifest and a server from it, and prints Markdown. The tasks are those
//! of `tasks.json`, for the tools of GitHub's MCP server, or of a second file. It asserts nothing.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark")]

mod losses;
mod manifest;
mod naming;
mod parameters;
mod report;
mod server;
mod tasks;
mod texts;
mod tools;

use std::fs;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Client;

use report::{Listing, Report};
use server::Server;
use tasks::{Task, tokens};

const TASKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/catalogue/tasks.json");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Cargo adds `--bench`.
    let mut files = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(list) = files.next() else {
        println!(
            "usage: cargo bench -p toolwrit-tests --bench catalogue -- TOOLS.json [TASKS.json]"
        );
        return Ok(());
    };
    let given: Value = read(&list)?;
    let tasks: Vec<Task> = read(files.next().as_deref().unwrap_or(TASKS))?;

    let (manifest, losses) = manifest::manifest(&tools::read(&given)?);
    let server = Server::build(&manifest);
    let (mut flat, mut meta) = (server.serve("flat"), server.serve("meta"));
    let listings = [
        listing("as given", &given),
        listing("flat", &served(&mut flat)),
        listing("meta", &served(&mut meta)),
    ];
    let asked = tasks.len();
    let spent: Vec<_> = tasks
        .into_iter()
        .filter_map(|task| tasks::run(task, &server, &mut meta, &mut flat))
        .collect();
    let left_out = asked - spent.len();
    print!("{}", Report { listings, tasks: spent, left_out, losses });
    Ok(())
}

/// Reads a JSON file. Use an absolute path, because cargo starts benchmarks in their package's folder.
fn read<T: DeserializeOwned>(path: &str) -> Result<T, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

fn served(client: &mut Client) -> Value {
    json!({ "tools": client.tools() })
}

/// Measures what a client hands its model of a list: names, descriptions and input schemas.
fn listing(name: &'static str, list: &Value) -> Listing {
    let tools = list["tools"].as_array().map_or(&[][..], Vec::as_slice);
    let seen = tools.iter().map(|tool| {
        json!({
            "name": tool["name"],
            "description": tool["description"],
            "inputSchema": tool["inputSchema"],
        })
    });
    Listing { name, tools: tools.len(), tokens: tokens(&seen.collect()) }
}
