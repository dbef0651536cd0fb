//! `migrate`: brings the schema of the database that replicas share to the version of this program.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::exit::Exit;
use crate::output;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb, in_runtime};
use toolwrit_postgres::Replica;

pub(crate) const VERB: Verb = Verb { name: "migrate", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Role with which the servers connect, if it is another than that of the address. It may then serve, and can change
    /// neither the schema nor recorded calls.
    #[arg(long, value_name = "ROLE")]
    grant: Option<String>,
    #[command(flatten)]
    state: StateFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("migrate"))
        .about("Bring the schema of the PostgreSQL database to the version of this program")
        .after_help(
            "A server does this itself at its start, if its role may. Run it as a job before a rollout if the servers connect \
             with a role that may not. Servers of the version before go on.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { grant, state } = Flags::from_arg_matches(matches)?;
    let settings = state.database(program)?.ok_or_else(|| {
        Exit::Configuration(
            "no database is named; set TOOLWRIT_STATE to its address, such as postgres://user:password@host/name".to_owned(),
        )
    })?;
    let migrated =
        in_runtime(1, async { Ok(Replica::migrate(&settings, grant.as_deref()).await) })?;
    let version = migrated
        .map_err(|error| Exit::Failed(format!("{}: {error}. {}", settings.address, error.fix())))?;
    output::print_message(&format!("{} has schema {version}.", settings.address));
    Ok(())
}
