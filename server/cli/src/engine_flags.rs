//! What the engine's own flags say, for applications that have to know.

use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use toolwrit_core::folders;

/// What the engine's own flags say, for applications that have to know: flattened into their options, it
/// adds no flags, and has the values of those that every command that runs handlers takes.
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
    /// Whether nothing may be changed: `--read-only`.
    pub read_only: bool,
    /// The folder in which servers keep what outlives them, each in a folder of its own: that of
    /// `--data-dir`, or the user's data folder; none when the user has no home.
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
        // A command without such a flag is as one where it is not given.
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
