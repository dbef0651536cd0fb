//! The program that serves the upstreams of the configuration.

use std::path::PathBuf;

use clap::Command;

use crate::commands::serve;
use crate::config;
use crate::config::global_file;
use crate::exit::Exit;
use crate::program::upstreams::Upstreams;
use crate::program::{Program, invocation};
use toolwrit_gateway::upstreams::{Approvals, Gateway};

/// Adds what the configuration names to a program. If nothing says what else to serve, another program takes its place.
///
/// # Errors
/// If an upstream has the name of a category or a provider, or the configuration has names that the program lacks.
pub(crate) fn served(mut program: Program) -> Result<Program, Exit> {
    let Some(path) = program.config.path() else { return Ok(program) };
    let enabled = program.config.upstreams().iter().filter(|upstream| upstream.is_enabled).cloned();
    let approvals = Approvals::beside(path);
    let gateway = Gateway::new(enabled, program.config.modes(), approvals, invocation());
    let gateway = gateway.at_door(door(&program));
    if gateway.is_empty() {
        return Ok(program);
    }
    if let Some(what) = gateway.collision() {
        return Err(Exit::Configuration(format!("{}: {what}", path.display())));
    }
    if let Some(alone) = program.alone.filter(|_| gateway.has_upstreams())
        && !alone.unless.iter().any(|flag| names(&program, flag))
        && !has_manifest(&program)
    {
        let other = (alone.program)();
        if !needs_more(&program, &other) {
            program = Program { config: std::mem::take(&mut program.config), ..other };
        }
    }
    let serves = program.runs(serve::VERB.name);
    program.upstreams = Upstreams::new(gateway, serves);
    // The process has one authority, which lives as long as it.
    let extended = program.upstreams.extend(program.authority, &program.config)?;
    program.config.check_names(&extended)?;
    program.authority = Box::leak(Box::new(extended));
    Ok(program)
}

/// Whether the command that runs is none of the other program.
fn needs_more(program: &Program, other: &Program) -> bool {
    let is_lacking = |name: &str| other.verbs().all(|verb| verb.name != name);
    program.verbs().any(|verb| is_lacking(verb.name) && program.runs(verb.name))
}

/// Whether the command line, the environment or the configuration sets a flag of the application.
fn names(program: &Program, flag: &str) -> bool {
    let options = (program.options)(Command::new("options"));
    let option = options.get_arguments().find(|option| option.get_id() == flag);
    let variable = option.and_then(|option| option.get_env()).and_then(|name| name.to_str());
    let given = |variable| global_file::find(&program.arguments, &format!("--{flag}"), variable);
    variable.is_some_and(|variable| given(variable).is_some()) || program.config.sets(flag)
}

/// How clients reach this process, if it serves.
fn door(program: &Program) -> Option<String> {
    if !program.runs(serve::VERB.name) {
        return None;
    }
    let given = global_file::find(&program.arguments, "--http", "TOOLWRIT_HTTP");
    let given = given.map(|address| address.display().to_string());
    let address = given.or_else(|| program.config.value("http"));
    Some(address.unwrap_or_else(|| "stdio".to_owned()))
}

fn has_manifest(program: &Program) -> bool {
    #[cfg(feature = "manifest")]
    return program.manifest.is_some();
    #[cfg(not(feature = "manifest"))]
    {
        let _ = program;
        false
    }
}

/// The configuration file that has upstreams, or would have them.
///
/// # Errors
/// If there is none, and the user has no home folder.
pub(super) fn file(program: &Program) -> Result<PathBuf, Exit> {
    let usual = || config::usual_file(&program.folder_name());
    let file = program.config.path().map(PathBuf::from).or_else(usual);
    file.ok_or_else(|| {
        Exit::Configuration("there is no configuration file; name one with --config".to_owned())
    })
}
