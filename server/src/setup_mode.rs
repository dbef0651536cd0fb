//! Setup mode: no vault is chosen. The server answers as usual, and each operation that needs a vault says what the user must do.
//! Nothing is read or written: which notes are served is for the user to decide.

use std::path::Path;

use tokio::sync::watch;
use toolwrit::chat::notebook::{Notebook, NotebookError, Reading, Version};
use toolwrit::{Code, Fault};

use crate::registered_vaults;

/// The fault of an operation that needs a vault.
pub(crate) fn fault() -> Fault {
    Fault::new(
        Code::ProviderUnavailable,
        "No folder of notes is chosen, so there is nothing to read or change.",
    )
    .hinting(format!("{} Commands in a terminal take --vault DIR, or --sample.", remedy()))
}

/// What the model is to tell the user, at the beginning of the instructions.
pub(crate) fn instructions() -> String {
    format!(
        "No folder of notes is chosen, so operations on notes fail until the user chooses one. {} Tell the user so.",
        remedy()
    )
}

/// What the user must do.
pub(crate) fn remedy() -> String {
    let command = |folder: &Path| {
        let folder = folder.display().to_string().replace('\'', r"'\''");
        format!("toolwrit install CLIENT --vault '{folder}'")
    };
    let known = registered_vaults::find();
    let known: Vec<String> = known.iter().map(|folder| format!("`{}`", command(folder))).collect();
    if known.is_empty() {
        return format!(
            "The user chooses one with `{}`, where CLIENT is such as claude-code, and starts the client again.",
            command(Path::new("FOLDER"))
        );
    }
    format!(
        "Obsidian knows {} on this machine. The user chooses one in a terminal, where CLIENT is such as claude-code, and starts \
         the client again: {}.",
        if known.len() == 1 { "one vault".to_owned() } else { format!("{} vaults", known.len()) },
        known.join(" or ")
    )
}

/// The notes of conversations, of which there are none.
pub(crate) struct NoNotes;

impl NoNotes {
    fn fail<T>() -> Result<T, NotebookError> {
        Err(NotebookError::Failed(format!("no folder of notes is chosen. {}", remedy())))
    }
}

impl Notebook for NoNotes {
    fn name(&self, _: &str) -> Result<String, NotebookError> {
        Self::fail()
    }

    fn read(&self, _: &str) -> Result<Reading, NotebookError> {
        Self::fail()
    }

    fn replace(&self, _: &str, _: &Version, _: &str) -> Result<Option<Version>, NotebookError> {
        Self::fail()
    }

    fn create(&self, _: &str, _: &str) -> Result<(), NotebookError> {
        Self::fail()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }
}
