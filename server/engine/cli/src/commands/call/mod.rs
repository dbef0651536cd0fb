//! `call`: runs one operation through the pipeline, without a surface.
//!
//! The arguments are parsed twice. The first pass finds the operation, the second one parses its parameters.
//! So the flags of other operations are never built.

mod confirm;
mod dynamic;
mod merged;
pub(crate) mod parameters;
mod progress;

use std::ffi::OsString;
use std::io::Read;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::{self, PolicyFlags};
use crate::output;
use crate::output::log;
use crate::output::render;
use crate::program;
use crate::program::opening::Opening;
use crate::program::state::StateFlags;
use crate::program::{Program, Verb, in_runtime, program_name, unknown_operation};
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::authority::{Alias, Authority, Operation, Tables};
use toolwrit_core::fault::Result as Outcomes;
use toolwrit_core::json::unique;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::Policy;
use toolwrit_core::result::outcome::Outcome;
use toolwrit_mcp::endpoint::{Endpoint, Engine, Request};
use toolwrit_text::numbers::WrittenNumbers;

pub(crate) const VERB: Verb = Verb { name: "call", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Parameters as a JSON object; `-` reads standard input. Flags for parameters override its values.
    #[arg(long, value_name = "JSON")]
    args: Option<String>,
    /// Print the result, or the failure, as JSON.
    #[arg(long)]
    json: bool,
    /// Run a destructive operation without asking.
    #[arg(long)]
    yes: bool,
    /// Key of this call: a repeated call with the same key is not run twice.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    state: StateFlags,
}

/// Adds the flags that all calls share to a command.
pub(crate) fn general(program: &Program, command: Command) -> Command {
    let command = (program.options)(Flags::augment_args(command));
    let command = flags::guarded(program, command);
    program.preset(command)
}

/// The command for the first pass.
fn command(program: &Program) -> Command {
    let operation = Arg::new("operation")
        .value_name("OP")
        .help("Id, such as category.name; wire names and older names also work")
        .required_unless_present("help");
    let parameters = Arg::new("parameters")
        .value_name("PARAMETERS")
        .help("Flags of the operation; `call OP --help` lists them")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(std::ffi::OsString));
    let help = Arg::new("help").short('h').long("help").action(ArgAction::SetTrue);
    general(program, Command::new("call"))
        .about("Run one operation")
        .override_usage(format!("{} call [OPTIONS] <OP> [PARAMETERS]...", program_name()))
        .disable_help_flag(true)
        .arg(help.help("Print help; after an operation, the help of that operation"))
        .arg(operation)
        .arg(parameters)
}

/// The command for the second pass, which parses the parameters of one operation.
pub(crate) fn operation_command(
    program: &Program,
    operation: &'static Operation,
    alias: Option<&'static Alias>,
) -> Command {
    let name = alias.map_or(operation.id.as_str(), |alias| &alias.name);
    let others = general(program, Command::new("call"));
    let flags = parameters::flags(operation, alias, &others);
    let required = parameters::required_usage(operation, &flags);
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).help("Print help");
    // Parameters must come first, so all other flags need a heading.
    general(program, Command::new(name).disable_help_flag(true).args(flags).arg(help))
        .mut_args(|argument| match argument.get_help_heading() {
            Some(_) => argument,
            None => argument.help_heading("Options"),
        })
        .override_usage(format!("{} call {name}{required} [OPTIONS]", program_name()))
        .about(operation.summary.as_str())
        .after_help(details(operation, &others))
}

/// The text below the flags in the help of an operation.
fn details(operation: &'static Operation, others: &Command) -> String {
    let header = others.get_styles().get_header();
    let section = |title: &str, text: &str| format!("{header}{title}:{header:#}\n  {text}");
    let mut sections = vec![section("Signature", &operation.signature)];
    sections.extend(operation.description.as_ref().map(|text| section("About", text)));
    let examples: Vec<String> = parameters::examples(operation, others).collect();
    if !examples.is_empty() {
        sections.push(section("Examples", &examples.join("\n  ")));
    }
    sections.join("\n\n")
}

/// The arguments after the word `call`. Before it, only the flags of all commands may appear.
fn own_arguments(program: &Program) -> impl Iterator<Item = &OsString> {
    let mut arguments = program.arguments.iter().skip(1);
    while let Some(argument) = arguments.next().filter(|argument| *argument != "call") {
        if program::flags().any(|flag| is_long(argument, &flag)) {
            arguments.next();
        }
    }
    arguments
}

/// Whether an argument is this flag, and its value the next argument.
fn is_long(argument: &OsString, flag: &Arg) -> bool {
    let name = argument.to_str().and_then(|text| text.strip_prefix("--"));
    name.is_some() && name == flag.get_long()
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Some(name) = matches.get_one::<String>("operation") else {
        let mut command = command(program);
        command = command.bin_name(format!("{} call", program_name()));
        // A closed pipe is not an error here either.
        let _ = command.print_help();
        return Ok(());
    };
    // The flags borrow from the operation. The process ends after this one call.
    let authority: &'static Authority = Box::leak(Box::new(authority_of(program, name)?));
    let tables = authority.tables();
    let (index, alias, merged) = match (tables.lookup(name), tables.merged_tool(name)) {
        (Some(found), _) => (usize::from(found.operation), found.alias, None),
        (None, Some(tool)) => {
            (merged::operation(tables, tool, own_arguments(program))?, None, Some(tool))
        }
        (None, None) => return Err(unknown(program, authority, matches, name)),
    };
    let (operation, alias) = resolve(tables, index, alias);
    let mut command = operation_command(program, operation, alias)
        .args(merged.map(merged::flag))
        .arg(Arg::new("operation").required(true).hide(true))
        .args(program::flags())
        .no_binary_name(true);
    let matches = command.try_get_matches_from_mut(own_arguments(program))?;
    let flags = Flags::from_arg_matches(&matches)?;
    let policy = flags.policy.policy(program)?.over(authority);
    let mut arguments = object(flags.args.as_deref(), &mut command)?;
    arguments.extend(parameters::collect(operation, alias, &matches));
    if let Some(tool) = merged
        && let Some(value) = matches.get_one::<Value>(merged::OPERATION)
    {
        arguments.insert(tool.by.clone(), value.clone());
    }
    log::start();
    let writer = flags.state.open(program)?;
    let words: Vec<_> = own_arguments(program).map(|word| word.to_string_lossy()).collect();
    let request = Request {
        idempotency_key: flags.idempotency_key.map(Value::from),
        dialogue: confirm::dialogue(operation, flags.yes),
        numbers: WrittenNumbers::read(&words.join(" ")),
        ..Request::default()
    };
    let recorder = Recorder::new(writer.state());
    let added_by = operation.requires.filter(|_| operation.is_dynamic);
    let added_by = added_by.map(|at| tables.providers[usize::from(at)].name.as_str());
    let opening = program.open(&matches);
    let work = execute(opening, added_by, recorder, policy, name, arguments, request);
    let outcome = in_runtime(1, work)?;
    let outcome = outcome.map_err(|fault| render::failure(fault, flags.json))?;
    if let Some(hint) = outcome.migration() {
        output::print_warning(&hint);
    }
    show(outcome, flags.json)
}

/// Returns an authority that has the operation of this name, if there is one. Operations of providers are known
/// only to an application that is open.
fn authority_of(program: &Program, name: &str) -> Result<Authority, Exit> {
    let declared = program.listed();
    let is_known = declared.tables().lookup(name).is_some();
    if program.tables().joining.is_empty() || is_known {
        return Ok(declared.with_instance_parameters());
    }
    let options = application_matches(program)?;
    // Names with a colon are those of providers. A mistyped name does not open a vault for nothing.
    if name.contains(':') || listing::names_application(program, &options) {
        Ok(listing::examined(program, &options)?.authority())
    } else {
        Ok(declared)
    }
}

/// Parses the application's own flags, which may stand among those of an operation that is not known yet.
fn application_matches(program: &Program) -> Result<ArgMatches, Exit> {
    let options = program.preset((program.options)(Command::new("call")));
    let mut given: Vec<&OsString> = Vec::new();
    let mut arguments = own_arguments(program);
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let (flag, value) = text.split_once('=').map_or((&*text, None), |(f, v)| (f, Some(v)));
        let name = flag.strip_prefix("--");
        let is_own = |option: &&Arg| name.is_some() && option.get_long() == name;
        let Some(option) = options.get_arguments().find(is_own) else { continue };
        given.push(argument);
        if option.get_action().takes_values() && value.is_none() {
            given.extend(arguments.next());
        }
    }
    Ok(options.no_binary_name(true).try_get_matches_from(given)?)
}

fn resolve(
    tables: &'static Tables,
    index: usize,
    alias: Option<u16>,
) -> (&'static Operation, Option<&'static Alias>) {
    let operation = &tables.operations[index];
    let alias = alias.map(|alias| &operation.aliases[usize::from(alias)]);
    (dynamic::with_fields(operation), alias)
}

/// The failure for an unknown operation, printed with the flags that every call has.
fn unknown(program: &Program, authority: &Authority, matches: &ArgMatches, name: &str) -> Exit {
    let flags = match Flags::from_arg_matches(matches) {
        Ok(flags) => flags,
        Err(error) => return error.into(),
    };
    let mut rest = matches.get_many::<std::ffi::OsString>("parameters").into_iter().flatten();
    let json = flags.json || rest.any(|argument| argument == "--json");
    match flags.policy.policy(program) {
        Ok(policy) => {
            render::failure(unknown_operation(program, &policy.over(authority), name), json)
        }
        Err(exit) => exit,
    }
}

/// Parses the value of `--args`.
fn object(text: Option<&str>, command: &mut Command) -> Result<Map<String, Value>, Exit> {
    let text = match text {
        None => return Ok(Map::new()),
        Some("-") => {
            let mut text = String::new();
            let read = std::io::stdin().read_to_string(&mut text);
            read.map_err(|error| Exit::Failed(format!("cannot read standard input: {error}")))?;
            text
        }
        Some(text) => text.to_owned(),
    };
    let mut invalid = |message| Exit::from(command.error(ErrorKind::ValueValidation, message));
    match serde_json::from_str(&text) {
        Ok(unique::UniqueObject { repeated: Some(repeated), .. }) => {
            Err(invalid(format!("--args: {}", repeated.fault("").message())))
        }
        Ok(unique::UniqueObject { entries, .. }) => Ok(entries),
        Err(error) => Err(invalid(format!("--args must be a JSON object: {error}"))),
    }
}

/// Runs the operation. If a provider has added it, waits until that one has said what it offers. Ctrl-C cancels it.
async fn execute(
    opening: Opening,
    added_by: Option<&str>,
    recorder: Recorder,
    policy: Policy,
    name: &str,
    arguments: Map<String, Value>,
    request: Request,
) -> Result<Outcomes<Outcome>, Exit> {
    let engine = Engine::for_one_call(opening.await?, &CallSettings::default(), recorder);
    if let Some(provider) = added_by {
        engine.provider_examined_within(provider, listing::EXAMINATION_TIME).await;
    }
    let policy = policy.over(&engine.authority());
    // No surface is used; the flat one is the cheapest to build.
    let endpoint = Endpoint::new(engine.clone(), policy, listing::LOOK);
    let (meter, reports) = progress::start();
    let cancellation = CancellationToken::new();
    let request = Request { cancellation: cancellation.clone(), reports, ..request };
    let mut call = std::pin::pin!(endpoint.execute(name.to_owned(), arguments, request));
    let outcome = tokio::select! {
        outcome = &mut call => outcome,
        _ = tokio::signal::ctrl_c() => {
            cancellation.cancel();
            call.await
        }
    };
    if let Some(meter) = meter {
        meter.finish().await;
    }
    engine.close().await;
    Ok(outcome)
}

fn show(outcome: Outcome, json: bool) -> Result<(), Exit> {
    let (text, value) = outcome.render();
    match (value, json) {
        (Some(value), true) => output::print_json(&value),
        (Some(value), false) => output::print(&render::value(&value)),
        (None, true) => output::print_json(&text),
        (None, false) => output::print(&output::content(&text)),
    }
}
