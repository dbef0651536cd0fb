//! `wpnav`: serves a WordPress site over MCP. The authority is `authority.yaml`. Most operations are bound to the REST
//! API of WordPress there; `handlers/` has the others.

mod app;
mod handlers;
mod operations;
mod sample;

use std::process::ExitCode;

/// The variable with which the operator allows changes.
const ENABLE_WRITES: &str = "WPNAV_ENABLE_WRITES";

fn main() -> ExitCode {
    toolwrit::cli::Main::<operations::Tools<app::Site>>::default()
        .with_writes_by(ENABLE_WRITES)
        .run()
}
