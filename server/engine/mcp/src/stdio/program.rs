//! The `main` of a program that serves over standard streams and has no command line.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::process::ExitCode;
use std::sync::Arc;

use super::serve;
use crate::endpoint::Engine;
use crate::protocol::McpServer;
use crate::surface::SurfaceConfig;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::pipeline::CallSettings;
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::runtime::runtime;
use toolwrit_core::toolset::{App, Application, ProviderTables, Tools, Toolset};

/// Runs a server without flags and configuration file until standard input ends. Focus mode, role and limits
/// are the manifest's defaults, and no state is stored.
///
/// Exit codes: 0 on success, 1 if the connection fails, 3 if the application does not open.
pub fn main<T: Tools>() -> ExitCode
where
    <T::App as App>::Options: Default,
{
    // `run` does not depend on `T`, so that it is compiled once for all authorities.
    run(T::compiled_authority().tables().concurrency, async {
        let app =
            Application::<T>::open(<T::App as App>::Options::default(), ProviderTables::new())
                .await?;
        Ok(Arc::new(app) as Arc<dyn Toolset>)
    })
}

type Failure = Box<dyn Error>;

fn run(handlers: u32, open: impl Future<Output = Result<Arc<dyn Toolset>, Failure>>) -> ExitCode {
    let runtime = match runtime(handlers) {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error, 1),
    };
    let code = runtime.block_on(async {
        match open.await {
            Ok(app) => serve_app(app).await.map_or_else(|error| fail(&*error, 1), |()| 0.into()),
            Err(error) => fail(&*error, 3),
        }
    });
    // Blocking work whose caller has disconnected must not keep the process alive.
    runtime.shutdown_background();
    code
}

async fn serve_app(app: Arc<dyn Toolset>) -> Result<(), Failure> {
    let engine = Engine::new(app, &CallSettings::default(), Recorder::default());
    engine.examined_within(Engine::START_TIME).await;
    let policy = Policy::new(engine.authority(), &Choice::default())?;
    let served = serve(McpServer::new(&engine, &policy, &SurfaceConfig::default())).await;
    engine.close().await;
    Ok(served?)
}

/// Reports an error on standard error, because standard output belongs to the protocol.
fn fail(error: &dyn Error, code: u8) -> ExitCode {
    // If this fails, there is no other place to report to.
    let _ = writeln!(stderr(), "error: {error}");
    code.into()
}
