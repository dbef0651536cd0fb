//! The server that the conformance suite of MCP needs: every kind of content, resources, prompts,
//! completion, log messages, progress, and questions to the client. The authority beside this file declares
//! what it can; the handlers do the rest.

mod forms;
mod served;
mod tasks;
mod tools;

use std::error::Error;
use std::process::ExitCode;

toolwrit::authority!("authority.yaml");

/// One red pixel.
const IMAGE: &[u8] = include_bytes!("red.png");
/// A short pause.
const RECORDING: &[u8] = include_bytes!("silence.wav");

struct App;

impl toolwrit::App for App {
    type Options = ();

    async fn open((): (), _: toolwrit::Updates) -> Result<Self, Box<dyn Error>> {
        Ok(Self)
    }
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<App>>()
}
