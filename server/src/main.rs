//! `toolwrit`: a Markdown vault as an MCP server. The authority is in `manifest/`, the handlers in
//! `handlers/`, a file per category; everything between is the engine's.

mod app;
mod diagnosis;
mod handlers;
mod operations;
mod rest_api;
mod sample;

use std::process::ExitCode;

fn main() -> ExitCode {
    toolwrit::cli::main::<operations::Tools<app::Vaults>>()
}
