//! `describe`: everything about some operations.

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::exit::Exit;
use super::flags::PolicyFlags;
use super::table::entries;
use super::{Program, Verb, call, listing, output, render};
use crate::arguments;
use crate::authority::{Field, Operation, Presence, contains};
use crate::policy::{Decision, Policy};

pub(super) const VERB: Verb = Verb { name: "describe", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Ids, wire names or older names.
    #[arg(required = true, value_name = "OP")]
    operations: Vec<String>,
    /// Print JSON, as `describe_tools` answers.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    policy: PolicyFlags,
}

fn command(_: &Program) -> Command {
    Flags::augment_args(Command::new("describe")).about("Show everything about operations")
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { operations: names, json, policy } = Flags::from_arg_matches(matches)?;
    let policy = policy.policy(program)?;
    let found = names.iter().map(|name| {
        let index = program.authority.lookup(name).map(|found| usize::from(found.operation));
        index.filter(|index| policy.knows(*index)).ok_or_else(|| super::unknown(&policy, name))
    });
    let found: Result<Vec<usize>, _> = found.collect();
    let found = found.map_err(|fault| render::failure(fault, json))?;
    if json {
        return output::print_json(&listing::endpoint(program, policy).describe(&names));
    }
    let pages = found.into_iter().map(|index| page(program, &policy, index));
    output::print(&pages.collect::<Vec<_>>().join("\n"))
}

/// One operation, for people.
fn page(program: &Program, policy: &Policy, index: usize) -> String {
    let operation = &program.authority.operations[index];
    let signature = entries(&[vec![operation.signature.to_owned()]]);
    let mut page = format!("{}\n{signature}", output::strong(operation.id));
    let mut section = |title: &str, text: String| {
        page.push_str(&format!("\n{}\n{text}", output::strong(title)));
    };
    let about = std::iter::once(operation.summary).chain(operation.description);
    section("About", entries(&about.map(|text| vec![text.to_owned()]).collect::<Vec<_>>()));
    section("Rules", entries(&rules(policy, operation, index)));
    if !operation.inputs.is_empty() {
        let rows: Vec<_> = operation.inputs.iter().map(parameter).collect();
        section("Parameters", entries(&rows));
    }
    let others = call::general(program, Command::new("call"));
    let examples = call::parameters::examples(operation, &others);
    let examples: String = examples.map(|line| format!("  {line}\n")).collect();
    if !examples.is_empty() {
        section("Examples", examples);
    }
    page
}

/// What it may do, who may use it, and under which names.
fn rules(policy: &Policy, operation: &Operation, index: usize) -> Vec<Vec<String>> {
    let authority = policy.authority;
    let roles = authority.roles.iter().filter(|role| contains(role.operations, index));
    let modes = authority.focus.iter().enumerate();
    let visible =
        |(focus, _): &(usize, _)| policy.under_focus(*focus).decide(index) == Decision::Visible;
    let aliases: Vec<&str> = operation.aliases.iter().map(|alias| alias.name).collect();
    let mut effect = operation.effect.as_str().to_owned();
    for (holds, what) in [
        (operation.idempotent, ", twice is as once"),
        (operation.confirm, ", asks first"),
        (operation.open_world, ", uses the network"),
    ] {
        effect.push_str(if holds { what } else { "" });
    }
    let mut rules = vec![
        ("effect", effect),
        ("roles", roles.map(|role| role.name).collect::<Vec<_>>().join(", ")),
        (
            "focus",
            modes.filter(visible).map(|(_, focus)| focus.name).collect::<Vec<_>>().join(", "),
        ),
        ("older names", aliases.join(", ")),
    ];
    if let Some(deprecated) = &operation.deprecated {
        let instead = deprecated.replacement.map(|id| format!("use {id}"));
        let parts = [instead, deprecated.note.map(str::to_owned)];
        rules.push(("deprecated", parts.into_iter().flatten().collect::<Vec<_>>().join("; ")));
    }
    rules.retain(|(name, text)| !text.is_empty() || *name == "deprecated");
    rules.into_iter().map(|(name, text)| vec![name.to_owned(), text]).collect()
}

fn parameter(field: &Field) -> Vec<String> {
    let presence = match field.presence {
        Presence::Required => "required".to_owned(),
        Presence::Optional => "optional".to_owned(),
        Presence::Default(value) => format!("default {value}"),
    };
    let expected = arguments::expected(field.ty);
    vec![field.name.to_owned(), presence, expected, field.description.to_owned()]
}
