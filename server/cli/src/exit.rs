//! How a command ends badly: one message on standard error, one exit code.

use std::process::ExitCode;

use super::output;
use super::render;
use toolwrit_core::fault::Fault;

/// Why a command did not succeed. A message that is empty has been given already.
#[derive(Debug)]
pub(super) enum Exit {
    /// The command failed: 1.
    Failed(String),
    /// The operation failed: 1.
    Fault(Fault),
    /// The command line makes no sense: 2. Help and version are errors to clap, but succeed.
    Usage(clap::Error),
    /// The configuration or the manifest is invalid: 3.
    Configuration(String),
}

impl Exit {
    pub(super) fn configuration(error: impl std::fmt::Display) -> Self {
        Self::Configuration(error.to_string())
    }

    /// What is wrong, in words.
    pub(super) fn into_message(self) -> String {
        match self {
            Exit::Failed(message) | Exit::Configuration(message) => message,
            Exit::Fault(fault) => fault.message().to_owned(),
            Exit::Usage(error) => error.to_string(),
        }
    }

    /// Prints the message and gives the process its code.
    pub(super) fn report(self) -> ExitCode {
        match self {
            Exit::Failed(message) => {
                tell(&message);
                ExitCode::from(1)
            }
            Exit::Fault(fault) => {
                render::tell_fault(&fault);
                ExitCode::from(1)
            }
            Exit::Usage(error) => {
                // Nothing more can be said when printing itself fails.
                let _ = error.print();
                ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
            }
            Exit::Configuration(message) => {
                tell(&message);
                ExitCode::from(3)
            }
        }
    }
}

fn tell(message: &str) {
    if !message.is_empty() {
        output::tell_error(None, message);
    }
}

impl From<clap::Error> for Exit {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
