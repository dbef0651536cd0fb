//! A server without handlers: its operations are the engine's own, or bound to the API of a blog.

use std::process::ExitCode;

toolwrit::authority!("desk.yaml");

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<()>>()
}
