//! `export`: writes the operations as the tools of a provider of models.

use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::program::{Program, Verb};
use toolwrit_chat::converse::tool_from_operation;
use toolwrit_chat::tool_formats::ToolFormat;
use toolwrit_chat::tools::Tool;
use toolwrit_core::policy::{Policy, Selector};

pub(crate) const VERB: Verb = Verb { name: "export", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// The format.
    #[arg(long, value_name = "NAME", value_parser = formats())]
    format: ToolFormat,
    /// Operations that the model does not see before it searches for them. Only `anthropic` has such a search.
    #[arg(long, value_name = "SEL", value_delimiter = ',')]
    defer: Vec<String>,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn formats() -> impl TypedValueParser<Value = ToolFormat> {
    PossibleValuesParser::new(ToolFormat::ALL.map(ToolFormat::name))
        .try_map(|name| name.parse::<ToolFormat>())
}

fn command(program: &Program) -> Command {
    listing::with_options(program, Flags::augment_args(Command::new("export")))
        .about("Write the operations as the tools of a provider of models")
        .after_help(
            "Prints JSON: the value of `tools` in a request to the provider, the result of `tools/list` for mcp, a \
             document of OpenAPI 3.1 for openapi. Schemas have what the provider accepts.",
        )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { format, defer, policy } = Flags::from_arg_matches(matches)?;
    if !(defer.is_empty() || format == ToolFormat::Anthropic) {
        let message = format!("--defer needs --format anthropic: {} has no search", format.name());
        return Err(Exit::Usage(clap::Error::raw(ErrorKind::ArgumentConflict, message + "\n")));
    }
    let policy = visible(program, matches, &policy)?;
    let described = format.describe(&tools(&policy, &defer)?);
    output::print_json(&described.map_err(|error| Exit::Failed(error.to_string()))?)
}

/// What a client of the server would see. Of a manifest that is not compiled, it is all operations.
fn visible(
    program: &Program,
    matches: &ArgMatches,
    flags: &PolicyFlags,
) -> Result<Arc<Policy>, Exit> {
    #[cfg(feature = "manifest")]
    if program.manifest.is_some() {
        return flags.policy_of(program.whole()).map(Arc::new);
    }
    Ok(listing::endpoint(program, matches, &flags.policy(program)?)?.policy)
}

/// The operations that the policy shows.
fn tools(policy: &Policy, defer: &[String]) -> Result<Vec<Tool>, Exit> {
    let deferred = defer.iter().map(|text| Selector::parse(policy.tables(), text));
    let deferred: Vec<Selector> =
        deferred.collect::<Result<_, _>>().map_err(Exit::configuration)?;
    let tools = policy.visible().map(|(_, operation)| Tool {
        deferred: deferred.iter().any(|selector| selector.matches(operation)),
        ..tool_from_operation(operation)
    });
    Ok(tools.collect())
}
