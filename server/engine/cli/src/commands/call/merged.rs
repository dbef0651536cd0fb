//! Calls of merged tools: one of their parameters names the operation.

use std::ffi::OsString;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::program::program_name;
use toolwrit_core::authority::{MergedTool, Tables};

/// The name of the flag's argument in clap.
pub(super) const OPERATION: &str = "operation of a merged tool";

/// Finds the position of the operation that the arguments of the command line name.
///
/// # Errors
/// How to use the tool, if they name none.
pub(super) fn operation<'a>(
    tables: &'static Tables,
    tool: &'static MergedTool,
    arguments: impl Iterator<Item = &'a OsString>,
) -> Result<usize, Exit> {
    let arguments: Vec<&OsString> = arguments.collect();
    let named = value_of(&arguments, &flag_name(tool));
    let mut command = Command::new(tool.name.as_str())
        .bin_name(format!("{} call {}", program_name(), tool.name))
        .no_binary_name(true)
        .about(tool.summary.as_str())
        .arg(flag(tool).required(true));
    // Standard input can be read only once, by the call.
    let whole = value_of(&arguments, "args").filter(|text| text != "-");
    let mut given: Map<String, Value> = super::object(whole.as_deref(), &mut command)?;
    given.extend(named.clone().map(|value| (tool.by.clone(), value.into())));
    if let Some(index) = tables.called(&tool.name, &given) {
        return Ok(index);
    }
    let help = arguments.iter().find(|argument| **argument == "--help" || **argument == "-h");
    let named = named.map(|value| format!("--{}={value}", flag_name(tool)).into());
    command.try_get_matches_from(help.copied().cloned().into_iter().chain(named))?;
    Err(Exit::Failed(format!("--{} names no operation", flag_name(tool))))
}

/// The flag that names the operation.
pub(super) fn flag(tool: &'static MergedTool) -> Arg {
    let values = tool.operations.iter().map(|operation| operation.value.as_str());
    Arg::new(OPERATION)
        .help_heading("Parameters")
        .help("The operation to run")
        .long(flag_name(tool))
        .value_name(tool.by.to_uppercase())
        .value_parser(PossibleValuesParser::new(values).map(Value::from))
}

fn flag_name(tool: &MergedTool) -> String {
    tool.by.replace('_', "-")
}

/// The value of a flag: `--flag value` or `--flag=value`.
fn value_of(arguments: &[&OsString], flag: &str) -> Option<String> {
    arguments.iter().enumerate().find_map(|(at, argument)| {
        let rest = argument.to_str()?.strip_prefix("--")?.strip_prefix(flag)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value.to_owned()),
            None if rest.is_empty() => Some(arguments.get(at + 1)?.to_str()?.to_owned()),
            None => None,
        }
    })
}
