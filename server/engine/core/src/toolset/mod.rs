//! The interface between the engine and the generated code around an author's handlers.

mod app;
mod application;
mod setup;

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::arguments::value::ArgValues;
use crate::authority::{Authority, LiveAuthority};
use crate::call::context::Context;
use crate::fault::{Code, Fault};
use crate::provider::Supervised;
use crate::result::running::RunningHandler;
use crate::updates::Updates;

pub use app::{App, Candidate, Candidates, Hooks, Opened};
pub use application::Application;
pub use setup::{InstalledPlugin, Setup};

/// An authority and the handlers that carry it out. Implemented by the generated `Tools`.
pub trait Toolset: Send + Sync + 'static {
    /// Returns the authority at the start. Called once.
    fn authority(&self) -> Authority;

    /// Returns the authority if it can change while the server runs. It begins as [`Self::authority`].
    fn live(&self) -> Option<&LiveAuthority> {
        None
    }

    /// Runs the handler of the operation at this position of [`Self::authority`].
    fn call<'a>(
        &'a self,
        operation: usize,
        cx: &'a Context,
        arguments: ArgValues,
    ) -> RunningHandler<'a>;

    /// Runs an operation of a later authority. The arguments are valid for it.
    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        _cx: &'a Context,
        _arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        let fault = Fault::new(Code::ToolNotFound, format!("There is no operation `{id}`."));
        RunningHandler::new(Box::new(std::future::ready(Err::<Value, _>(fault))))
    }

    /// Returns the setup of the application; `None` if there is no application, and every declared provider counts as
    /// available. Called once.
    fn setup(&self) -> Option<Setup> {
        None
    }

    /// Returns the application, which runs around calls.
    fn hooks(&self) -> &dyn Hooks {
        &()
    }

    /// Returns the source of the application's notifications of changed resources.
    fn updates(&self) -> Updates {
        Updates::default()
    }

    /// Closes the application, and what belongs to the toolset itself. Nothing uses it afterwards.
    fn close(&self) -> BoxFuture<'_, ()> {
        self.hooks().close()
    }
}

/// The interface of the generated `Tools<App>` as a type: tables without an application, handlers with one.
pub trait Tools: Toolset + Sized {
    /// The author's type that implements every `Handlers` trait.
    type App: App;

    /// Returns the authority that the macro has embedded.
    fn compiled_authority() -> &'static Authority;

    /// Returns the providers of the APIs to which the manifest binds operations, with what the operator says about them.
    /// What is not said there comes from the environment.
    fn bound_providers(_settings: ProviderTables) -> Vec<Arc<dyn Supervised>> {
        Vec::new()
    }

    /// Binds the handlers to an application.
    fn new(app: Self::App) -> Self;

    /// Returns the application that implements the handlers.
    fn app(&self) -> &Self::App;
}

/// What the operator says about providers: for each name, a table of settings.
pub type ProviderTables = BTreeMap<String, Map<String, Value>>;

/// The time that an application has to close.
const CLOSE_TIME: Duration = Duration::from_secs(10);

/// Closes an application. Stops waiting after a time limit, even if the application blocks its thread.
pub async fn close(toolset: Arc<dyn Toolset>) {
    close_within(CLOSE_TIME, toolset).await;
}

async fn close_within(time: Duration, toolset: Arc<dyn Toolset>) {
    let runtime = Handle::current();
    // The inner time limit ends an application that awaits, the outer one abandons one that blocks.
    let closing =
        spawn_blocking(move || runtime.block_on(async { timeout(time, toolset.close()).await }));
    match timeout(time, closing).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Err(error)) => tracing::error!(%error, "the application panicked while closing"),
        Ok(Ok(Err(_))) | Err(_) => {
            tracing::error!("the application took too long to close; the server stops without it");
        }
    }
}

/// Stands in for the handler of an operation that the engine carries out itself.
pub fn by_engine<'a, H>(_: &'a H, cx: &'a Context, _: ArgValues) -> RunningHandler<'a> {
    let id = cx.operation();
    let fault = Fault::internal(format!("`{id}` was passed to the handlers"));
    RunningHandler::new(Box::new(ready(Err::<Value, _>(fault))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use futures::future::BoxFuture;

    use super::{ArgValues, Authority, Context, RunningHandler, Toolset, close_within};

    /// A toolset, by how it closes.
    enum Closing {
        Panics,
        Waits,
        /// Blocks its thread until the sender is dropped.
        Blocks(Mutex<Receiver<()>>),
    }

    impl Toolset for Closing {
        fn authority(&self) -> Authority {
            unreachable!("it only closes")
        }

        fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
            unreachable!("it only closes")
        }

        fn close(&self) -> BoxFuture<'_, ()> {
            Box::pin(async {
                match self {
                    Self::Panics => panic!("the lid is stuck"),
                    Self::Waits => std::future::pending().await,
                    Self::Blocks(end) => {
                        let end = end.lock().unwrap_or_else(PoisonError::into_inner);
                        assert!(end.recv().is_err(), "nothing is sent");
                    }
                }
            })
        }
    }

    #[tokio::test]
    async fn closing_ends_when_the_application_panics_waits_or_blocks() {
        let (held, end) = channel();
        for closing in [Closing::Panics, Closing::Waits, Closing::Blocks(Mutex::new(end))] {
            close_within(Duration::from_millis(1), Arc::new(closing)).await;
        }
        // Ends the blocked thread.
        drop(held);
    }
}
