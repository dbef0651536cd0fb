//! The values of the engine's flags, for applications.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use toolwrit_core::folders;

/// The values of the engine's flags, for applications that need them. Flatten it into the options of an
/// application: it adds no flags, and reads those that every command with handlers has.
///
/// ```
/// #[derive(clap::Args)]
/// struct Options {
///     #[command(flatten)]
///     engine: toolwrit_cli::EngineFlags,
/// }
/// ```
#[derive(Debug, Clone, Default)]
pub struct EngineFlags {
    /// Whether changes are forbidden: `--read-only`.
    pub read_only: bool,
    /// The folder for data of all servers, each in a subfolder of its own: `--data-dir`, or the user's data
    /// folder. `None` if the user has no home folder.
    pub data_dir: Option<PathBuf>,
}

impl Args for EngineFlags {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for EngineFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // Commands without these flags behave as if the flags were not given.
        let read_only = matches.try_get_one::<bool>("read_only").ok().flatten();
        let data_dir = matches.try_get_one::<PathBuf>("data_dir").ok().flatten();
        Ok(Self {
            read_only: read_only.copied().unwrap_or_default(),
            data_dir: data_dir.cloned().or_else(folders::data),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
