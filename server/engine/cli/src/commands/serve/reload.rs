//! Follows the files of `--manifest` while they are served: a valid edit replaces the authority, and an invalid one is
//! reported.

use std::convert::Infallible;
use std::future::pending;
use std::path::Path;

use tokio::task::spawn_blocking;

use crate::flags::PolicyFlags;
use crate::output;
use crate::program::Program;
use crate::program::manifest::{self, ManifestFile};
use toolwrit_loader::{FileWatch, bound_providers};
use toolwrit_manifest::{LeftOut, Problems, Sources, has_changed};
use toolwrit_mcp::endpoint::Engine;

/// Says what is not served, once.
pub(super) fn announce(left_out: &LeftOut) {
    if !left_out.is_empty() {
        output::print_warning(&left_out.to_string());
    }
}

/// Follows the files of the program's manifest, if it has one.
pub(super) async fn follow(program: &Program, policy: &PolicyFlags, engine: &Engine) -> Infallible {
    let Some(manifest) = &program.manifest else { return pending().await };
    match FileWatch::new() {
        Ok(watch) => Reload { program, manifest, policy, engine }.run(watch).await,
        Err(error) => {
            cannot_watch(&error);
            pending().await
        }
    }
}

fn cannot_watch(error: &dyn std::fmt::Display) {
    output::print_warning(&format!(
        "cannot watch the files of the manifest, so edits need a restart: {error}"
    ));
}

struct Reload<'a> {
    program: &'a Program,
    manifest: &'a ManifestFile,
    policy: &'a PolicyFlags,
    engine: &'a Engine,
}

impl Reload<'_> {
    async fn run(&self, mut watch: FileWatch) -> Infallible {
        let mut sources = self.manifest.sources.clone();
        let mut left_out = self.manifest.left_out.clone();
        loop {
            if let Err(error) = watch.watch(sources.paths().map(Path::new)) {
                cannot_watch(&error);
            }
            // Loaded after the folders are watched, so that no change is missed.
            match self.load_again(&sources).await {
                None => watch.changed().await,
                Some(Ok(next)) => {
                    if next.left_out != left_out {
                        announce(&next.left_out);
                        left_out = next.left_out.clone();
                    }
                    sources = next.sources.clone();
                    self.serve(next).await;
                }
                Some(Err(problems)) => {
                    manifest::print_problems(&problems);
                    refused("the manifest is invalid");
                    sources = problems.sources().clone();
                }
            }
        }
    }

    /// Loads the manifest again, if a file has changed since it was loaded.
    async fn load_again(&self, sources: &Sources) -> Option<Result<ManifestFile, Problems>> {
        let (path, sources) = (self.manifest.path.clone(), sources.clone());
        let server = &self.program.tables().server;
        let load = move || {
            let load = || ManifestFile::load(&path, server);
            has_changed(&sources).then(load)
        };
        spawn_blocking(load).await.ok().flatten()
    }

    /// Serves the next authority.
    async fn serve(&self, next: ManifestFile) {
        // The operator's choice must hold for it, too.
        #[cfg(not(feature = "upstreams"))]
        let authority = next.served;
        #[cfg(feature = "upstreams")]
        let authority = match self.program.upstreams.extend(&next.served, &self.program.config) {
            Ok(authority) => authority,
            Err(exit) => return refused(&exit.into_message()),
        };
        if let Err(exit) = self.policy.policy_of(&authority) {
            return refused(&exit.into_message());
        }
        let providers = bound_providers(authority.tables(), self.program.config.providers());
        #[cfg(feature = "upstreams")]
        let providers = [providers, self.program.upstreams.providers()].concat();
        self.engine.replace(authority, providers).await;
        output::print_message(&format!("serving {} as edited", next.path.display()));
    }
}

fn refused(why: &str) {
    output::print_error(
        None,
        &format!("{why}; the server continues with the manifest as it was before"),
    );
}
