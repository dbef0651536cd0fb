//! How a command ends badly: one message on standard error, one exit code.

use std::process::ExitCode;

/// Why a command did not succeed.
#[derive(Debug)]
pub(super) enum Exit {
    /// The operation failed: 1. The message has been printed already when it is empty.
    Failed(String),
    /// The command line makes no sense: 2. Help and version are errors to clap, but succeed.
    Usage(clap::Error),
    /// The configuration or the manifest is invalid: 3.
    Configuration(String),
}

impl Exit {
    pub(super) fn configuration(error: impl std::fmt::Display) -> Self {
        Self::Configuration(error.to_string())
    }

    /// Prints the message and gives the process its code.
    #[expect(clippy::print_stderr, reason = "the message is for the person at the terminal")]
    pub(super) fn report(self) -> ExitCode {
        match self {
            Exit::Failed(message) => {
                if !message.is_empty() {
                    eprintln!("error: {message}");
                }
                ExitCode::from(1)
            }
            Exit::Usage(error) => {
                // Nothing more can be said when printing itself fails.
                let _ = error.print();
                ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
            }
            Exit::Configuration(message) => {
                eprintln!("error: {message}");
                ExitCode::from(3)
            }
        }
    }
}

impl From<clap::Error> for Exit {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}
