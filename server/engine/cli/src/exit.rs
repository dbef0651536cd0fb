//! Why a command failed. `render` prints it on standard error and returns the exit code.

use toolwrit_core::fault::Fault;

/// Why a command failed. An empty message has already been printed.
#[derive(Debug)]
pub(super) enum Exit {
    /// The command failed. Exit code 1.
    Failed(String),
    /// The operation failed. Exit code 1.
    Fault(Fault),
    /// The command line is invalid. Exit code 2. To clap, help and version are errors, too, but exit with 0.
    Usage(clap::Error),
    /// The configuration or the manifest is invalid. Exit code 3.
    Configuration(String),
}

impl Exit {
    pub(super) fn configuration(error: impl std::fmt::Display) -> Self {
        Self::Configuration(error.to_string())
    }

    /// The error as text.
    pub(super) fn into_message(self) -> String {
        match self {
            Exit::Failed(message) | Exit::Configuration(message) => message,
            Exit::Fault(fault) => fault.message().to_owned(),
            Exit::Usage(error) => error.to_string(),
        }
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
