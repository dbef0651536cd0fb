//! The interface between the engine and the generated code around an author's handlers.

use std::collections::BTreeMap;
use std::error::Error;
use std::future::{Future, poll_fn, ready};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::arguments::value::ArgValues;
use crate::authority::{Authority, LiveAuthority, Tables};
use crate::call::context::Context;
use crate::diagnosis::Check;
use crate::fault::{Code, Fault, Result};
use crate::provider::Provider;
use crate::result::running::RunningHandler;
use crate::updates::Updates;

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

    /// Returns the providers of the application; `None` if there is no application, and every declared provider
    /// counts as available. Called once.
    fn providers(&self) -> Option<Vec<Arc<dyn Provider>>> {
        None
    }

    /// Returns [`App::facts`].
    fn facts(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Returns [`App::location`]. Called once.
    fn location(&self) -> String {
        String::new()
    }

    /// Runs [`App::seed_test_data`].
    fn seed_test_data<'a>(&'a self, _cx: &'a Context) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(ready(Err(no_sample_data())))
    }

    /// Runs [`App::before`]. Its fault ends the call.
    fn before<'a>(&'a self, _cx: &'a Context) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// Runs [`App::after`] with the outcome of the handler.
    fn after<'a>(
        &'a self,
        _cx: &'a Context,
        _outcome: std::result::Result<&'a Value, &'a Fault>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }

    /// Returns the source of the application's notifications of changed resources.
    fn updates(&self) -> Updates {
        Updates::default()
    }

    /// Closes the application. Nothing uses it afterwards.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(ready(()))
    }
}

/// The interface of the generated `Tools<App>` as a type: tables without an application, handlers with one.
pub trait Tools: Toolset + Sized {
    /// The author's type that implements every `Handlers` trait.
    type App: App;

    /// The generated tables.
    const TABLES: &'static Tables<'static>;

    /// Returns the providers of the APIs to which the manifest binds operations, with what the operator says about them.
    /// What is not said there comes from the environment.
    fn bound_providers(_settings: ProviderTables) -> Vec<Arc<dyn Provider>> {
        Vec::new()
    }

    /// Binds the handlers to an application.
    fn new(app: Self::App) -> Self;

    /// Returns the application that implements the handlers.
    fn app(&self) -> &Self::App;
}

/// What the operator says about providers: for each name, a table of settings.
pub type ProviderTables = BTreeMap<String, Map<String, Value>>;

/// The handlers of an open application.
pub struct Application<T> {
    tools: T,
    updates: Updates,
    bound: Vec<Arc<dyn Provider>>,
}

impl<T: Tools> Application<T> {
    /// Wraps an open application, and the `updates` that it was opened with.
    pub fn new(app: T::App, updates: Updates, providers: ProviderTables) -> Self {
        Self { tools: T::new(app), updates, bound: T::bound_providers(providers) }
    }

    /// Opens the application.
    ///
    /// # Errors
    /// As [`App::open`].
    pub async fn open(
        options: <T::App as App>::Options,
        providers: ProviderTables,
    ) -> Opened<Self> {
        let updates = Updates::default();
        let app = T::App::open(options, updates.clone()).await?;
        Ok(Self::new(app, updates, providers))
    }

    /// Returns the application.
    pub fn app(&self) -> &T::App {
        self.tools.app()
    }

    /// Returns the findings of `doctor`.
    pub fn diagnose(&self) -> Vec<Check> {
        self.tools.app().diagnose()
    }
}

impl<T: Tools> Toolset for Application<T> {
    fn authority(&self) -> Authority {
        self.tools.authority()
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        cx: &'a Context,
        arguments: ArgValues,
    ) -> RunningHandler<'a> {
        self.tools.call(operation, cx, arguments)
    }

    fn live(&self) -> Option<&LiveAuthority> {
        self.tools.live()
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        self.tools.call_by_id(id, cx, arguments)
    }

    fn providers(&self) -> Option<Vec<Arc<dyn Provider>>> {
        Some(self.tools.app().providers().into_iter().chain(self.bound.iter().cloned()).collect())
    }

    fn facts(&self) -> Map<String, Value> {
        self.tools.app().facts()
    }

    fn location(&self) -> String {
        self.tools.app().location()
    }

    fn seed_test_data<'a>(&'a self, cx: &'a Context) -> BoxFuture<'a, Result<Vec<String>>> {
        Box::pin(self.tools.app().seed_test_data(cx))
    }

    fn before<'a>(&'a self, cx: &'a Context) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.tools.app().before(cx))
    }

    fn after<'a>(
        &'a self,
        cx: &'a Context,
        outcome: std::result::Result<&'a Value, &'a Fault>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(self.tools.app().after(cx, outcome))
    }

    fn updates(&self) -> Updates {
        self.updates.clone()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.tools.app().close())
    }
}

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

/// The result of opening an application.
pub type Opened<T> = std::result::Result<T, Box<dyn Error>>;

/// An author's application: the state that the handlers use.
pub trait App: Sized + Send + Sync + 'static {
    /// The options of the application; `()` for none. A program with a command line reads them from flags, so
    /// they must implement `clap::Args` there. A server without a command line uses the `Default`.
    type Options;

    /// Whether the options say what to open. If the manifest lets providers add operations, commands that only list
    /// operations open the application then, too. By default they do.
    fn is_named(_options: &Self::Options) -> bool {
        true
    }

    /// Opens the application, inside the server's runtime. Must be quick, because a client is waiting.
    ///
    /// `updates` notifies clients of changed resources, also from outside a call. Keep it if you need it.
    ///
    /// # Errors
    /// Any reason that makes serving impossible; the operator sees the message.
    fn open(options: Self::Options, updates: Updates) -> impl Future<Output = Opened<Self>> + Send;

    /// Closes the application after the server has stopped. Running handlers have been cancelled, and none is
    /// called afterwards. After ten seconds the process stops waiting.
    fn close(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }

    /// Runs before each handler, within its time limit. Does not run before answers from the cache, or stored
    /// for the same idempotency key. Runs again before each retry of a handler.
    ///
    /// # Errors
    /// The fault with which the call ends. Neither its handler nor [`Self::after`] runs then.
    fn before(&self, _cx: &Context) -> impl Future<Output = Result<()>> + Send {
        // This future has size zero, so boxing it allocates nothing.
        poll_fn(|_| Poll::Ready(Ok(())))
    }

    /// Runs after each handler with its fault, or with its result as JSON, before `select`, `page` and
    /// truncation. A panic is `INTERNAL`. Does not run after handlers that were cancelled or timed out.
    fn after(
        &self,
        _cx: &Context,
        _outcome: std::result::Result<&Value, &Fault>,
    ) -> impl Future<Output = ()> + Send {
        poll_fn(|_| Poll::Ready(()))
    }

    /// Returns the providers that the manifest declares. Operations that require a missing one are not listed,
    /// and are refused with `PROVIDER_UNAVAILABLE`. Called once, after [`Self::open`].
    fn providers(&self) -> Vec<Arc<dyn Provider>> {
        Vec::new()
    }

    /// Returns the findings of `doctor`. It may take a moment, but must not change anything of value.
    fn diagnose(&self) -> Vec<Check> {
        Vec::new()
    }

    /// Returns facts about the application for `introspect`, such as the name and the size of what it serves.
    /// Must be quick, because a client is waiting.
    fn facts(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Identifies what the handlers change, such as the path of a folder. An idempotency key that was used at one
    /// location is refused at another. The default suits an application that always changes the same, besides what its
    /// providers say of themselves.
    fn location(&self) -> String {
        String::new()
    }

    /// Restores what is missing of the application's own sample data, for an operation with `builtin:
    /// seed_test_data`. Returns what it has created, and changes nothing that exists.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if the application serves no sample data.
    fn seed_test_data(&self, _cx: &Context) -> impl Future<Output = Result<Vec<String>>> + Send {
        ready(Err(no_sample_data()))
    }
}

/// An application without handlers, for an authority whose operations are all bound to APIs or carried out by the engine:
/// `Tools<()>`.
impl App for () {
    type Options = ();

    async fn open((): (), _: Updates) -> Opened<Self> {
        Ok(())
    }
}

/// The fault of an application that has no sample data.
fn no_sample_data() -> Fault {
    Fault::new(Code::ProviderUnavailable, "This server has no sample data.")
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
