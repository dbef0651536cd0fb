//! A server whose operations are commands of git.

use std::process::ExitCode;

toolwrit::authority!("repository.yaml");

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<()>>()
}
