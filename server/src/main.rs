//! `toolwrit`: serves a Markdown vault over MCP. The authority is in `manifest/`, and the handlers are in
//! `handlers/`, one file per category. The engine does everything else.

mod app;
mod diagnosis;
mod faults;
mod gateway;
mod handlers;
mod operations;
mod plugins;
mod rest_api;
mod sample;

use std::process::ExitCode;

fn main() -> ExitCode {
    toolwrit::cli::main_or_gateway::<operations::Tools<app::Vaults>, gateway::Tools<()>>("vault")
}
