//! The locations of persistent data.

#[cfg(feature = "postgres")]
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
#[cfg(feature = "postgres")]
use clap::builder::TypedValueParser;
#[cfg(feature = "postgres")]
use clap::error::ErrorKind;
#[cfg(feature = "postgres")]
use clap::{Arg, Command};

use crate::exit::Exit;
use crate::program::Program;
use toolwrit_core::audit::storage::State;
#[cfg(any(feature = "http", feature = "sqlite"))]
use toolwrit_core::folders;
#[cfg(feature = "http")]
use toolwrit_http::identity::TokenFile;
#[cfg(feature = "postgres")]
use toolwrit_postgres::{Address, KeyFile, Replica, Settings};
#[cfg(feature = "sqlite")]
use toolwrit_state::StateWriter;

/// The flags of the state.
#[derive(Debug, Args)]
#[command(next_help_heading = "State")]
pub(crate) struct StateFlags {
    /// Folder for the audit, idempotency keys and access tokens; by default, the user's data folder.
    #[arg(long, env = "TOOLWRIT_DATA_DIR", hide_env_values = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// PostgreSQL database that several equal servers share in place of a file of their own. The variable is better, because
    /// other users see the arguments of a process.
    #[cfg(feature = "postgres")]
    #[arg(
        id = "state",
        long,
        env = "TOOLWRIT_STATE",
        hide_env_values = true,
        value_name = "URL",
        value_parser = SecretAddress
    )]
    address: Option<Address>,
    /// Name of this replica in audit and logs; by default, the name of the machine.
    #[cfg(feature = "postgres")]
    #[arg(
        long,
        env = "TOOLWRIT_REPLICA",
        hide_env_values = true,
        value_name = "NAME",
        value_parser = NonEmptyStringValueParser::new()
    )]
    replica: Option<String>,
    /// File with the keys that seal what clients carry between replicas; by default, the keys are in the database.
    #[cfg(feature = "postgres")]
    #[arg(
        id = "key_file",
        long = "keys",
        env = "TOOLWRIT_KEYS",
        hide_env_values = true,
        value_name = "FILE"
    )]
    keys: Option<PathBuf>,
    /// Name of what the server changes, if replicas reach it in different ways, such as by different paths.
    #[arg(
        long,
        env = "TOOLWRIT_LOCATION",
        hide_env_values = true,
        value_name = "NAME",
        value_parser = NonEmptyStringValueParser::new()
    )]
    location: Option<String>,
}

/// Parses an address. Unlike other values, one that is wrong is not shown, because it may have a password.
#[cfg(feature = "postgres")]
#[derive(Clone)]
struct SecretAddress;

#[cfg(feature = "postgres")]
impl TypedValueParser for SecretAddress {
    type Value = Address;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Address, clap::Error> {
        Address::parse(&value.to_string_lossy()).map_err(|why| {
            let message = format!("invalid value for '--state <URL>': {why}\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command)
        })
    }
}

impl StateFlags {
    /// The data folder of this server. `None` if the user has no home folder.
    #[cfg(any(feature = "http", feature = "sqlite"))]
    fn folder(&self, program: &Program) -> Option<PathBuf> {
        let folder = self.data_dir.clone().or_else(folders::data)?;
        Some(folder.join(program.folder_name()))
    }

    /// The state file of this server. `None` if the user has no home folder.
    #[cfg(feature = "sqlite")]
    pub(crate) fn file(&self, program: &Program) -> Option<PathBuf> {
        Some(self.folder(program)?.join("state.sqlite3"))
    }

    /// How this replica uses its database; `None` without one.
    ///
    /// # Errors
    /// If something is said about replicas, and no database is named; if the file of keys cannot be used.
    #[cfg(feature = "postgres")]
    pub(crate) fn database(&self, program: &Program) -> Result<Option<Settings>, Exit> {
        let table = program.config.state();
        let Some(address) = self.address.clone() else {
            let said = [
                (self.replica.is_some(), "--replica"),
                (self.keys.is_some(), "--keys"),
                (!table.is_empty(), "[state] of the configuration"),
            ];
            return match said.iter().find(|(is_said, _)| *is_said) {
                Some((_, what)) => Err(Exit::Configuration(format!(
                    "{what} is about replicas, which need a database; set TOOLWRIT_STATE to its address"
                ))),
                None => Ok(None),
            };
        };
        let keys =
            self.keys.as_deref().map(KeyFile::open).transpose().map_err(Exit::configuration)?;
        Ok(Some(Settings { keys, ..table.settings(address, self.replica.clone()) }))
    }

    /// The file of access tokens: the named one, or the server's own. `None` if no file is named
    /// and the user has no home folder.
    #[cfg(feature = "http")]
    pub(crate) fn tokens(&self, program: &Program, named: Option<PathBuf>) -> Option<TokenFile> {
        let in_state_folder = || Some(self.folder(program)?.join("tokens.toml"));
        named.or_else(in_state_folder).map(TokenFile::new)
    }

    /// Opens the state in the background.
    ///
    /// # Errors
    /// As [`Self::database`].
    pub(crate) fn open(&self, program: &Program) -> Result<OpenState, Exit> {
        Ok(OpenState { location: self.location.clone(), kept: self.kept(program)? })
    }

    #[cfg(feature = "sqlite")]
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unnecessary_wraps, reason = "as in a build with the feature")
    )]
    fn kept(&self, program: &Program) -> Result<KeptState, Exit> {
        #[cfg(feature = "postgres")]
        if let Some(settings) = self.database(program)? {
            return Ok(KeptState::Shared(Replica::open(settings)));
        }
        Ok(KeptState::File(StateWriter::open(self.file(program))))
    }

    #[cfg(not(feature = "sqlite"))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as in a build with the feature"
    )]
    fn kept(&self, _: &Program) -> Result<KeptState, Exit> {
        Ok(KeptState::Nowhere)
    }
}

/// An open state. It must be dropped after the engine, so that all calls have written their records.
pub(crate) struct OpenState {
    location: Option<String>,
    kept: KeptState,
}

/// Where the state is kept.
enum KeptState {
    #[cfg(feature = "sqlite")]
    File(StateWriter),
    #[cfg(feature = "postgres")]
    Shared(Replica),
    /// There is no audit, and calls with an idempotency key are refused.
    #[cfg(not(feature = "sqlite"))]
    Nowhere,
}

impl OpenState {
    /// Returns a handle for the state.
    pub(crate) fn state(&self) -> State {
        let state = match &self.kept {
            #[cfg(feature = "sqlite")]
            KeptState::File(writer) => writer.state(),
            #[cfg(feature = "postgres")]
            KeptState::Shared(replica) => replica.state(),
            #[cfg(not(feature = "sqlite"))]
            KeptState::Nowhere => State::none(),
        };
        state.located(self.location.as_deref())
    }
}
