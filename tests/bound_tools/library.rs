//! A server whose operations are all tools of another MCP server.

use std::process::ExitCode;

toolwrit::authority!("library.yaml");

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<()>>()
}
