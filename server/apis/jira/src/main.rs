//! `toolwrit-jira`: serves a Jira site over MCP. Every operation is bound to Jira's REST API in `authority.yaml` and
//! `operations/`, so that there is no handler.

use std::process::ExitCode;

toolwrit::authority!("../authority.yaml");

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<()>>()
}
