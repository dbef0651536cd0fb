//! `toolwrit`: serves a Markdown vault over MCP. The authority is in `manifest/`, and the handlers are in
//! `handlers/`, by category. The engine does everything else.

mod app;
mod diagnosis;
mod faults;
mod gateway;
mod handlers;
mod notebook;
mod operations;
mod plugins;
mod rest_api;
mod sample;

use std::process::ExitCode;

fn main() -> ExitCode {
    toolwrit::cli::Main::<operations::Tools<app::Vaults>>::default()
        .with_conversations()
        .or_gateway::<gateway::Tools<()>>("vault")
        .run()
}
