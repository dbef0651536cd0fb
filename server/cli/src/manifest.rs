//! The manifest of an authoring command: the one compiled into the program, or a file.

use std::path::{Path, PathBuf};

use clap::Args;
use toolwrit_manifest::{Authority, Problem, Problems, Severity};

use super::exit::Exit;
use super::output;
use super::program::Program;
use super::tables::tables;
use toolwrit_core::authority;

/// The manifest that an authoring command uses.
#[derive(Debug, Args)]
pub(super) struct ManifestFlag {
    /// Root file of a manifest; by default, the manifest compiled into the program.
    #[arg(long = "manifest", value_name = "FILE")]
    pub(super) file: Option<PathBuf>,
}

impl ManifestFlag {
    /// The tables of the chosen manifest.
    ///
    /// # Errors
    /// If the file's manifest is invalid. Its problems have then been printed.
    pub(super) fn authority(
        &self,
        program: &Program,
    ) -> Result<&'static authority::Tables<'static>, Exit> {
        match &self.file {
            Some(file) => Ok(tables(&load(program.authority, Some(file))?)),
            None => Ok(program.authority),
        }
    }
}

/// Loads the manifest that the program was generated from. Fails if it is invalid in this version of the
/// language.
pub(super) fn kept(authority: &authority::Tables<'_>) -> Result<Authority, Problems> {
    toolwrit_manifest::load_kept(authority.sources.iter().map(|source| (source.path, source.text)))
}

/// Loads the manifest of a file, or the program's own without one.
///
/// # Errors
/// If the manifest is invalid. Its problems have then been printed.
pub(super) fn load(
    authority: &authority::Tables<'_>,
    file: Option<&Path>,
) -> Result<Authority, Exit> {
    let loaded = match file {
        Some(file) => toolwrit_manifest::load(file),
        None => kept(authority),
    };
    loaded.map_err(|problems| {
        unreadable(&problems).unwrap_or_else(|| {
            problems.iter().for_each(|problem| print_problem(problem, problems.sources()));
            Exit::Configuration("the manifest is invalid".to_owned())
        })
    })
}

/// The only error of a manifest whose root file cannot be read.
pub(super) fn unreadable(problems: &Problems) -> Option<Exit> {
    let problem = problems.iter().next()?;
    let is_unread = problems.sources().iter().next().is_none();
    is_unread.then(|| Exit::Configuration(problem.message().to_owned()))
}

/// Prints a problem with its place.
pub(super) fn print_problem(problem: &Problem, sources: &toolwrit_manifest::Sources) {
    let text = problem.render(sources);
    let severity = problem.severity();
    let text = text.strip_prefix(severity.as_str()).and_then(|text| text.strip_prefix(": "));
    let text = format!("{}\n", text.unwrap_or_default());
    match severity {
        Severity::Error => output::print_error(None, &text),
        Severity::Warning => output::print_warning(&text),
    }
}
