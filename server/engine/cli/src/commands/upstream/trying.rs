//! `upstream try`: one call of a tool that may not be approved yet, to see what it answers.

use std::io::{IsTerminal as _, stdin};

use clap::Args;
use serde_json::{Map, Value};

use super::{Chosen, START_TIME};
use crate::exit::Exit;
use crate::output;
use crate::program::in_runtime;
use toolwrit_gateway::upstreams::{Tried, try_tool};
use toolwrit_mcp::surface::count_tokens;

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    pub(super) name: String,
    /// Name of the tool.
    tool: String,
    /// Arguments as JSON.
    #[arg(long, value_name = "JSON", default_value = "{}", value_parser = object)]
    args: Map<String, Value>,
    /// Call it without asking.
    #[arg(long)]
    yes: bool,
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("expected a JSON object: {error}"))
}

/// Calls a tool, and prints its result as it is.
pub(super) fn call(chosen: &Chosen<'_>, flags: &Flags) -> Result<(), Exit> {
    let Flags { name, tool, args, yes } = flags;
    if !yes {
        ask(name, tool)?;
    }
    let tried = in_runtime(1, async {
        let tried = try_tool(chosen.settings, &chosen.approvals, tool, args, START_TIME).await;
        tried.map_err(|why| Exit::Failed(format!("`{tool}` of {name} was not called well: {why}")))
    });
    let Tried { result, took } = tried?;
    output::print_json(&result)?;
    let text = result.to_string();
    let (bytes, tokens) = (text.len(), count_tokens(&text));
    output::print_message(&format!("{} ms, {bytes} bytes, {tokens} tokens.", took.as_millis()));
    Ok(())
}

fn ask(name: &str, tool: &str) -> Result<(), Exit> {
    if !stdin().is_terminal() {
        return Err(Exit::Failed(format!(
            "nothing was called, because there is no terminal to ask on; pass --yes to call `{tool}` of {name}"
        )));
    }
    output::ask(&format!("Call `{tool}` of {name}, whatever it does? [y/N]"));
    let mut answer = String::new();
    let was_read = stdin().read_line(&mut answer).is_ok();
    if was_read && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Exit::Failed("nothing was called".to_owned()))
}
