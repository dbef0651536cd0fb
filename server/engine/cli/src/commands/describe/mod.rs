//! `describe`: shows everything about some operations.

mod fields;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use serde_json::{Value, json};

use crate::commands::call;
use crate::commands::listing;
use crate::exit::Exit;
use crate::flags::PolicyFlags;
use crate::output;
use crate::output::render;
use crate::output::table::{entries, indented};
use crate::program::{Program, Verb, unknown_operation};
#[cfg(feature = "chat")]
use toolwrit_chat::format::call_block;
use toolwrit_core::authority::{Operation, contains};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::{Decision, Policy};
use toolwrit_mcp::endpoint::Endpoint;
use toolwrit_mcp::surface::{SurfaceChoice, SurfaceOptions};

pub(crate) const VERB: Verb = Verb { name: "describe", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Ids, wire names or older names.
    #[arg(required = true, value_name = "OP")]
    operations: Vec<String>,
    /// Print JSON, in the format of `describe_tools`.
    #[arg(long)]
    json: bool,
    /// Print a block for a note, which `run` calls.
    #[cfg(feature = "chat")]
    #[arg(long, conflicts_with = "json")]
    block: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(program: &Program) -> Command {
    listing::with_options(program, Flags::augment_args(Command::new("describe")))
        .about("Show everything about operations")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let flags = Flags::from_arg_matches(matches)?;
    let page = page_by(&flags);
    let Flags { operations: names, json, policy, .. } = flags;
    let endpoint = listing::endpoint(program, matches, &policy.policy(program)?)?;
    let policy = &endpoint.policy;
    let pages = names.iter().map(|name| {
        let found = endpoint.named_operations(name);
        if found.is_empty() {
            return provider_page(&endpoint, name)
                .ok_or_else(|| unknown_operation(program, policy, name));
        }
        let pages = found.into_iter().map(|index| page(program, &endpoint, index));
        Ok(pages.collect::<Vec<_>>().join("\n\n"))
    });
    let pages: Result<Vec<String>, _> = pages.collect();
    let pages = pages.map_err(|fault| render::failure(fault, json))?;
    if json {
        return output::print_json(&endpoint.describe(&names));
    }
    output::print(&pages.join("\n\n"))
}

/// Makes the text about an operation, which has this index.
type Page = fn(&Program, &Endpoint, usize) -> String;

#[cfg_attr(
    not(feature = "chat"),
    expect(unused_variables, reason = "as in a build with the feature")
)]
fn page_by(flags: &Flags) -> Page {
    #[cfg(feature = "chat")]
    if flags.block {
        return block;
    }
    page
}

/// A block that calls an operation, with the arguments of its example.
#[cfg(feature = "chat")]
fn block(_: &Program, endpoint: &Endpoint, index: usize) -> String {
    let operation = &endpoint.policy.tables().operations[index];
    let arguments = match example(operation) {
        Value::Object(arguments) => arguments,
        _ => serde_json::Map::new(),
    };
    call_block(&operation.id, &arguments)
}

/// The text about a provider; `None` if there is none of this name.
fn provider_page(endpoint: &Endpoint, name: &str) -> Option<String> {
    let provider = endpoint.provider(name)?;
    Some(format!("{}\n{}", output::strong(name), render::value(&provider)))
}

/// The text about one operation.
fn page(program: &Program, endpoint: &Endpoint, index: usize) -> String {
    let policy = &endpoint.policy;
    let operation = &policy.tables().operations[index];
    let section = |title: &str, text: String| format!("{}\n{text}", output::strong(title));
    let line = |text: &str| vec![text.to_owned()];
    let about =
        std::iter::once(&operation.summary).chain(&operation.description).map(|text| line(text));
    let mut sections = vec![
        section(&operation.id, entries(&[line(&operation.signature)])),
        section("About", entries(&about.collect::<Vec<_>>())),
        section("Rules", entries(&rules(policy, operation, index))),
    ];
    let parameters = fields::parameters(operation);
    if !parameters.is_empty() {
        sections.push(section("Parameters", parameters));
    }
    let result = fields::result(&operation.returns);
    if !result.is_empty() {
        sections.push(section("Result", result));
    }
    let errors = policy.tables().errors_of(operation);
    let errors: Vec<_> = errors
        .map(|error| {
            [&error.code, &error.summary, error.hint.as_deref().unwrap_or_default()]
                .map(str::to_owned)
        })
        .map(Vec::from)
        .collect();
    if !errors.is_empty() {
        sections.push(section("Errors", entries(&errors)));
    }
    let others = call::general(program, Command::new("call"));
    let examples: Vec<String> = call::parameters::examples(operation, &others).collect();
    if !examples.is_empty() {
        // Not wrapped, so that they can be copied.
        sections.push(section("Examples", indented(examples.iter().map(String::as_str))));
    }
    sections.push(section("Wire form", tool_calls(endpoint, operation)));
    sections.join("\n\n")
}

/// An example call on each surface, as the parameters of `tools/call`.
fn tool_calls(endpoint: &Endpoint, operation: &Operation) -> String {
    let surfaces = [SurfaceChoice::Flat, SurfaceChoice::Dispatch, SurfaceChoice::Meta];
    let example = example(operation);
    let line = |kind: SurfaceChoice| {
        let options = SurfaceOptions { kind, ..SurfaceOptions::default() };
        let endpoint = endpoint.with_surface(options);
        let (tool, arguments) = endpoint.tool_call(operation, example.clone())?;
        let call = json!({ "name": tool, "arguments": arguments });
        Some(format!("{:<9} {}", kind.as_str(), output::sanitized(&call.to_string())))
    };
    // Not wrapped, so that they can be copied.
    indented(surfaces.into_iter().filter_map(line).collect::<Vec<_>>().iter().map(String::as_str))
}

/// The arguments of an example call.
fn example(operation: &Operation) -> Value {
    let first = operation.examples.first().map(|example| parse_row_text(&example.args));
    first.or_else(|| operation.example()).unwrap_or_else(|| json!({}))
}

/// The operation's effect, the roles and focus modes that allow it, and its other names.
fn rules(policy: &Policy, operation: &Operation, index: usize) -> Vec<Vec<String>> {
    let authority = policy.tables();
    let effect = [
        (true, operation.effect.as_str()),
        (operation.idempotent, "idempotent"),
        (operation.confirm, "asks for confirmation"),
        (operation.open_world, "uses the network"),
    ];
    let effect = effect.iter().filter(|(holds, _)| *holds).map(|(_, text)| *text);
    let allowing = authority.roles.iter().filter(|role| contains(&role.operations, index));
    let modes = authority.focus.iter().enumerate();
    let visible = |focus: usize| policy.under_focus(focus).decide(index) == Decision::Visible;
    let visible = modes.filter(|(focus, _)| visible(*focus));
    let deprecated = operation.deprecated.as_ref().map(|deprecated| {
        let instead = deprecated.replacement.as_ref().map(|id| format!("use {id}"));
        let parts = [instead, deprecated.note.clone()].into_iter().flatten();
        format!("yes; {}", parts.collect::<Vec<_>>().join("; "))
    });
    let rows = [
        ("effect", joined(effect)),
        ("roles", joined(allowing.map(|role| role.name.as_str()))),
        ("focus", joined(visible.map(|(_, focus)| focus.name.as_str()))),
        ("older names", joined(operation.aliases.iter().map(|alias| alias.name.as_str()))),
        ("deprecated", deprecated.unwrap_or_default()),
    ];
    let filled = rows.into_iter().filter(|(_, text)| !text.is_empty());
    filled.map(|(name, text)| vec![name.to_owned(), text]).collect()
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
