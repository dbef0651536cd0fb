//! Why a command did not succeed. `render` tells it on standard error, with an exit code.

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
