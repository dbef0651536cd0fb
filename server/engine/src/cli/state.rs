//! Where the program keeps what outlives it.

use std::path::PathBuf;

use clap::Args;

use super::Program;
use crate::folders;
use crate::state::Keeper;

/// Where the state file lies.
#[derive(Debug, Args)]
pub(super) struct StateFlags {
    /// Folder for the audit and for idempotency keys; without it, the user's data folder.
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
    /// The state file of this server; none when the user has no home.
    pub(super) fn file(&self, program: &Program) -> Option<PathBuf> {
        let folder = self.data_dir.clone().or_else(folders::data)?;
        Some(folder.join(program.authority.server.name).join("state.sqlite3"))
    }

    /// Opens the state, in the background.
    pub(super) fn open(&self, program: &Program) -> Keeper {
        Keeper::open(self.file(program))
    }
}
