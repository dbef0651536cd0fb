//! The manifest of `--manifest`, which takes the place of the one that was compiled into the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, value_parser};
use toolwrit_manifest::{LeftOut, Problem, Problems, Severity, Sources};

use crate::config::global_file;
use crate::exit::Exit;
use crate::output;
#[cfg(any(feature = "authoring", feature = "docs"))]
use toolwrit_core::authority::Tables;
use toolwrit_core::authority::{Authority, ServerInfo};

const VARIABLE: &str = "TOOLWRIT_MANIFEST";

/// The flag that names the file. Every command has it.
pub(crate) fn flag() -> Arg {
    Arg::new("manifest")
        .long("manifest")
        .env(VARIABLE)
        .hide_env_values(true)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .global(true)
        .help("Root file of a manifest to use in place of the one compiled into the program")
}

/// A manifest that is served without a compiler.
pub(crate) struct ManifestFile {
    /// The root file.
    pub(crate) path: PathBuf,
    /// Its files, as they were loaded.
    pub(crate) sources: Sources,
    /// The authority with the operations that only a compiled server runs.
    pub(crate) whole: Authority,
    /// The authority without these operations.
    pub(crate) served: Authority,
    pub(crate) left_out: LeftOut,
}

impl ManifestFile {
    /// Loads a manifest, for a program that presents itself so.
    ///
    /// # Errors
    /// The problems of an invalid manifest.
    pub(crate) fn load(path: &Path, program: &ServerInfo) -> Result<Self, Problems> {
        let manifest = toolwrit_manifest::load(path)?;
        let (reduced, left_out) = manifest.without_handlers();
        let load = |manifest| toolwrit_loader::load(manifest, &program.version, &program.env);
        let whole = load(&manifest);
        let served = if left_out.is_empty() { whole.clone() } else { load(&reduced) };
        let sources = manifest.sources().clone();
        Ok(Self { path: path.to_owned(), sources, whole, served, left_out })
    }

    /// Why it does not serve an operation that it declares. `None` if it does not declare it.
    pub(crate) fn lacks(&self, name: &str) -> Option<String> {
        let declared = self.whole.tables();
        let found = &declared.operations[usize::from(declared.lookup(name)?.operation)];
        let is_left_out = self.left_out.handled.iter().any(|id| *id == found.id);
        is_left_out.then(|| {
            "It has a handler, which only a server that is compiled from the manifest has."
                .to_owned()
        })
    }
}

/// The file that the arguments or the environment name. Read before the real pass, which depends on it.
pub(crate) fn find_file(arguments: &[OsString]) -> Option<PathBuf> {
    global_file::find(arguments, "--manifest", VARIABLE)
}

/// Loads the manifest from the texts that an authority keeps. Fails if it is invalid in this version of the
/// language.
#[cfg(any(feature = "authoring", feature = "docs"))]
pub(crate) fn kept(tables: &Tables) -> Result<toolwrit_manifest::Authority, Problems> {
    let sources = tables.sources.iter();
    toolwrit_manifest::load_kept(sources.map(|source| (source.path.as_str(), source.text.as_str())))
}

/// The same, for commands that need a valid manifest.
///
/// # Errors
/// If it is invalid. Its problems have then been printed.
#[cfg(any(feature = "authoring", feature = "docs"))]
pub(crate) fn valid(tables: &Tables) -> Result<toolwrit_manifest::Authority, Exit> {
    kept(tables).map_err(|problems| invalid(&problems))
}

/// Prints all problems of a manifest, and returns the failure of the command.
pub(crate) fn invalid(problems: &Problems) -> Exit {
    unreadable(problems).unwrap_or_else(|| {
        print_problems(problems);
        Exit::Configuration("the manifest is invalid".to_owned())
    })
}

/// The only error of a manifest whose root file cannot be read.
pub(crate) fn unreadable(problems: &Problems) -> Option<Exit> {
    let problem = problems.iter().next()?;
    let is_unread = problems.sources().iter().next().is_none();
    is_unread.then(|| Exit::Configuration(problem.message().to_owned()))
}

/// Prints all problems with their places.
pub(crate) fn print_problems(problems: &Problems) {
    problems.iter().for_each(|problem| print_problem(problem, problems.sources()));
}

/// Prints a problem with its place.
pub(crate) fn print_problem(problem: &Problem, sources: &Sources) {
    let text = problem.render(sources);
    let severity = problem.severity();
    let text = text.strip_prefix(severity.as_str()).and_then(|text| text.strip_prefix(": "));
    let text = format!("{}\n", text.unwrap_or_default());
    match severity {
        Severity::Error => output::print_error(None, &text),
        Severity::Warning => output::print_warning(&text),
    }
}
