//! The locations of persistent data.

use std::path::PathBuf;

use clap::Args;

use crate::program::Program;
#[cfg(not(feature = "sqlite"))]
use toolwrit_core::audit::storage::State;
use toolwrit_core::folders;
#[cfg(feature = "http")]
use toolwrit_http::identity::TokenFile;
#[cfg(feature = "sqlite")]
use toolwrit_state::StateWriter;

/// The flag of the data folder.
#[derive(Debug, Args)]
pub(crate) struct StateFlags {
    /// Folder for the audit, idempotency keys and access tokens; by default, the user's data folder.
    #[arg(
        long,
        env = "TOOLWRIT_DATA_DIR",
        hide_env_values = true,
        value_name = "DIR",
        help_heading = "State"
    )]
    data_dir: Option<PathBuf>,
}

impl StateFlags {
    /// The data folder of this server. `None` if the user has no home folder.
    fn folder(&self, program: &Program) -> Option<PathBuf> {
        let folder = self.data_dir.clone().or_else(folders::data)?;
        Some(folder.join(program.folder_name()))
    }

    /// The state file of this server. `None` if the user has no home folder.
    pub(crate) fn file(&self, program: &Program) -> Option<PathBuf> {
        Some(self.folder(program)?.join("state.sqlite3"))
    }

    /// The file of access tokens: the named one, or the server's own. `None` if no file is named
    /// and the user has no home folder.
    #[cfg(feature = "http")]
    pub(crate) fn tokens(&self, program: &Program, named: Option<PathBuf>) -> Option<TokenFile> {
        let in_state_folder = || Some(self.folder(program)?.join("tokens.toml"));
        named.or_else(in_state_folder).map(TokenFile::new)
    }

    /// Opens the state in the background.
    pub(crate) fn open(&self, program: &Program) -> StateWriter {
        StateWriter::open(self.file(program))
    }
}

/// Replaces the state file in a build without the feature `sqlite`: there is no audit, and calls with an
/// idempotency key are refused.
#[cfg(not(feature = "sqlite"))]
pub(crate) struct StateWriter;

#[cfg(not(feature = "sqlite"))]
impl StateWriter {
    fn open(_: Option<PathBuf>) -> Self {
        Self
    }

    /// Returns an empty state.
    #[expect(clippy::unused_self, reason = "as in a build with the feature")]
    pub(crate) fn state(&self) -> State {
        State::none()
    }
}
