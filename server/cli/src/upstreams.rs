//! The servers of others that the configuration names, as a part of the program.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Command;

use super::exit::Exit;
use super::global_file;
use super::program::{Opening, Program, invocation};
use super::serve;
use toolwrit_core::authority::{Authority, InvalidDynamicOperation};
use toolwrit_core::provider::Provider;
use toolwrit_gateway::{Approvals, Gateway, Starting};

/// The servers of others. By default none.
#[derive(Default)]
pub(super) struct Upstreams {
    gateway: Option<Arc<Gateway>>,
    /// Whether the process serves, and does not only make a call.
    serves: bool,
}

/// Adds what the configuration names to a program. If nothing says what else to serve, another program takes its place.
///
/// # Errors
/// If an upstream has the name of a category or a provider.
pub(super) fn added(mut program: Program) -> Result<Program, Exit> {
    let Some(path) = program.config.path() else { return Ok(program) };
    let enabled = program.config.upstreams().iter().filter(|own| own.is_enabled).cloned();
    let gateway = Gateway::new(enabled, Approvals::beside(path), invocation());
    if gateway.is_empty() {
        return Ok(program);
    }
    if let Some((flag, alone)) = program.alone
        && !names(&program, flag)
        && !has_manifest(&program)
    {
        let config = std::mem::take(&mut program.config);
        program = Program { config, ..alone() };
    }
    let serves = program.runs(serve::VERB.name);
    program.upstreams = Upstreams { gateway: Some(Arc::new(gateway)), serves };
    // The process has one authority, which lives as long as it.
    let extended = program.upstreams.extend(program.authority)?;
    program.authority = Box::leak(Box::new(extended));
    Ok(program)
}

/// Whether the command line, the environment or the configuration sets a flag of the application.
fn names(program: &Program, flag: &str) -> bool {
    let options = (program.options)(Command::new("options"));
    let own = options.get_arguments().find(|own| own.get_id() == flag);
    let variable = own.and_then(|own| own.get_env()).and_then(|name| name.to_str());
    let given = |variable| global_file::named(&program.arguments, &format!("--{flag}"), variable);
    variable.is_some_and(|variable| given(variable).is_some()) || program.config.sets(flag)
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

impl Upstreams {
    /// Returns an authority with a category for each upstream.
    ///
    /// # Errors
    /// If one has the name of a category or a provider.
    pub(super) fn extend(&self, authority: &Authority) -> Result<Authority, Exit> {
        let Some(gateway) = &self.gateway else { return Ok(authority.clone()) };
        gateway.extend(authority).map_err(|taken| {
            Exit::Configuration(format!(
                "the upstream `{0}` has the name of a category or a provider of this server; rename [upstreams.{0}]",
                taken.0
            ))
        })
    }

    /// Opens the application together with the upstreams. `authority` has their categories.
    pub(super) fn join(&self, opening: Opening, authority: &Authority) -> Opening {
        let Some(gateway) = self.gateway.clone() else { return opening };
        let starting = if self.serves { Starting::Configured } else { Starting::OnCall };
        let authority = authority.clone();
        Box::pin(async move { Ok(gateway.open(opening.await?, authority, starting).await) })
    }

    /// Returns an authority with the tools that are approved, and why some are not operations.
    pub(super) fn approved(
        &self,
        authority: Authority,
    ) -> (Authority, Vec<InvalidDynamicOperation>) {
        match &self.gateway {
            Some(gateway) => gateway.approved(authority),
            None => (authority, Vec::new()),
        }
    }

    /// The providers of the upstreams, once the application is open.
    #[cfg(feature = "manifest")]
    pub(super) fn providers(&self) -> Vec<Arc<dyn Provider>> {
        self.gateway.as_ref().map(|gateway| gateway.providers()).unwrap_or_default()
    }

    /// The configuration file that has upstreams, or would have them.
    ///
    /// # Errors
    /// If there is none, and the user has no home folder.
    pub(super) fn file(program: &Program) -> Result<PathBuf, Exit> {
        let usual = || super::config::usual_file(&program.folder_name());
        let file = program.config.path().map(PathBuf::from).or_else(usual);
        file.ok_or_else(|| {
            Exit::Configuration("there is no configuration file; name one with --config".to_owned())
        })
    }
}
