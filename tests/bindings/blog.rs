//! A server whose operations are all bound to the API of a blog.

use std::process::ExitCode;

toolwrit::authority!("blog.yaml");

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<()>>()
}
