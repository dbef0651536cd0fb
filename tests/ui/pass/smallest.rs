//! As little as a program can have: no types, focus modes, roles or parameters.

use std::process::ExitCode;

toolwrit::authority!("smallest.yaml");

pub(crate) struct Clock;

impl toolwrit::App for Clock {
    type Options = ();

    async fn open(
        (): (),
        _: toolwrit::Updates,
    ) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        Ok(Clock)
    }
}

impl clock::Handlers for Clock {
    async fn now(&self, _: &toolwrit::Context, _: clock::Now) -> toolwrit::Result<String> {
        Ok(toolwrit::Timestamp::now().to_string())
    }
}

/// What the macro left.
pub(crate) fn authority() -> &'static toolwrit::generated::Authority {
    <Tools<Clock> as toolwrit::generated::Tools>::compiled_authority()
}

fn main() -> ExitCode {
    toolwrit::cli::main::<Tools<Clock>>()
}
