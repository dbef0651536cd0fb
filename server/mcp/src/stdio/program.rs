//! A whole program that serves over standard streams, without a command line.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use super::serve;
use crate::endpoint::Engine;
use crate::protocol::Server;
use crate::surface::Looks;
use toolwrit_core::pipeline::Settings;
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::recorder::Recorder;
use toolwrit_core::runtime::runtime;
use toolwrit_core::toolset::{App, Application, Tools};

/// The whole `main` of a server that takes neither flags nor a configuration file: serves until standard
/// input ends. Focus mode, role and limits are the manifest's defaults, and no state is kept.
///
/// Exit codes: 0 ok, 1 when the connection breaks, 3 when the application does not open.
pub fn main<T: Tools>() -> ExitCode
where
    <T::App as App>::Options: Default,
{
    // Everything behind this line is the same code for every authority, compiled once.
    match T::App::open(<T::App as App>::Options::default()) {
        Ok(app) => run(&Engine::new(
            Arc::new(Application(T::new(app))),
            &Settings::default(),
            Recorder::default(),
        )),
        Err(error) => {
            tell(&*error);
            ExitCode::from(3)
        }
    }
}

fn run(engine: &Arc<Engine>) -> ExitCode {
    match converse(engine) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&*error);
            ExitCode::from(1)
        }
    }
}

fn converse(engine: &Arc<Engine>) -> Result<(), Box<dyn Error>> {
    let policy = Policy::new(engine.authority(), &Choice::default())?;
    let server = Server::new(engine, &policy, &Looks::default());
    let runtime = runtime()?;
    runtime.block_on(serve(server))?;
    // Blocking work whose caller has gone must not keep the process.
    runtime.shutdown_background();
    Ok(())
}

/// Standard output belongs to the protocol.
fn tell(error: &dyn Error) {
    // Nothing more can be said when this fails.
    let _ = writeln!(stderr(), "error: {error}");
}
