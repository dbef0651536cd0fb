//! `schema`: prints the JSON Schema of the manifest language, an operation's arguments, or the configuration.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::Value;

use crate::commands::serve;
use crate::config;
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, Verb, unknown_operation};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::{Choice, Policy};

pub(crate) const VERB: Verb = Verb { name: "schema", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Operation whose arguments to describe; by default, print the schema of the manifest language.
    #[arg(value_name = "OP")]
    operation: Option<String>,
    /// Print the schema of the configuration file.
    #[arg(long = "configuration", conflicts_with = "operation")]
    is_of_configuration: bool,
}

fn command(_: &Program) -> Command {
    let about = "Print the JSON Schema of the manifest language, an operation or the configuration";
    Flags::augment_args(Command::new("schema")).about(about)
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { operation, is_of_configuration } = Flags::from_arg_matches(matches)?;
    let schema: Value = match operation {
        None if is_of_configuration => {
            config::schema(&program.tables().server.name, &serve::keys(program), further(program))
        }
        None => toolwrit_manifest::editor::editor_schema(),
        Some(name) => {
            let tables = program.whole().tables();
            let Some(found) = tables.lookup(&name) else {
                let policy = Policy::new(program.whole().clone(), &Choice::default());
                let policy = policy.map_err(Exit::configuration)?;
                return Err(unknown_operation(program, &policy, &name).into());
            };
            let operation = &tables.operations[usize::from(found.operation)];
            parse_row_text(&operation.input_schema)
        }
    };
    output::print(&format!("{schema:#}"))
}

/// The schemas of tables that only servers with conversations have.
#[cfg_attr(
    not(feature = "chat"),
    expect(unused_variables, reason = "as in a build with the feature")
)]
fn further(program: &Program) -> impl IntoIterator<Item = (&'static str, Value)> {
    #[cfg(feature = "chat")]
    let schemas = program.converse.is_some().then(toolwrit_chat::converse::settings::schemas);
    #[cfg(not(feature = "chat"))]
    let schemas: Option<[(&'static str, Value); 0]> = None;
    schemas.into_iter().flatten()
}
