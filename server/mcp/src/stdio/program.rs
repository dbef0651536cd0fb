//! A whole program that serves over standard streams, without a command line.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use super::serve;
use crate::endpoint::Engine;
use crate::protocol::McpServer;
use crate::surface::SurfaceConfig;
use toolwrit_core::pipeline::Settings;
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::recorder::Recorder;
use toolwrit_core::runtime::runtime;
use toolwrit_core::toolset::{App, Application, Tools, Toolset};

/// The whole `main` of a server that takes neither flags nor a configuration file: serves until standard
/// input ends. Focus mode, role and limits are the manifest's defaults, and no state is kept.
///
/// Exit codes: 0 ok, 1 when the connection breaks, 3 when the application does not open.
pub fn main<T: Tools>() -> ExitCode
where
    <T::App as App>::Options: Default,
{
    // Everything behind this line is the same code for every authority, compiled once.
    run(T::TABLES.concurrency, async {
        let app = Application::<T>::open(<T::App as App>::Options::default()).await?;
        Ok(Arc::new(app) as Arc<dyn Toolset>)
    })
}

type Failure = Box<dyn Error>;

fn run(handlers: u32, open: impl Future<Output = Result<Arc<dyn Toolset>, Failure>>) -> ExitCode {
    let runtime = match runtime(handlers) {
        Ok(runtime) => runtime,
        Err(error) => return tell(&error, 1),
    };
    let code = runtime.block_on(async {
        match open.await {
            Ok(app) => converse(app).await.map_or_else(|error| tell(&*error, 1), |()| 0.into()),
            Err(error) => tell(&*error, 3),
        }
    });
    // Blocking work whose caller has gone must not keep the process.
    runtime.shutdown_background();
    code
}

async fn converse(app: Arc<dyn Toolset>) -> Result<(), Failure> {
    let engine = Engine::new(app, &Settings::default(), Recorder::default());
    let policy = Policy::new(engine.authority(), &Choice::default())?;
    let served = serve(McpServer::new(&engine, &policy, &SurfaceConfig::default())).await;
    engine.close().await;
    Ok(served?)
}

/// Standard output belongs to the protocol.
fn tell(error: &dyn Error, code: u8) -> ExitCode {
    // Nothing more can be said when this fails.
    let _ = writeln!(stderr(), "error: {error}");
    code.into()
}
