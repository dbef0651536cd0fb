//! What the macro generates around an author's handlers, seen from the engine.

use std::error::Error;
use std::future::{Future, poll_fn, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::arg_value::{ArgValues, IntoJson};
use crate::authority::{Authority, LiveAuthority, Tables};
use crate::context::Context;
use crate::diagnosis::Check;
use crate::fault::{Code, Fault, Result};
use crate::provider::Provision;
use crate::updates::Updates;

/// A handler at work. It borrows the application and the context of the call.
pub struct RunningHandler<'a>(Pin<Box<dyn HandlerFuture + Send + 'a>>);

impl<'a> RunningHandler<'a> {
    /// A handler's future, boxed where it was made.
    pub fn new(handler: Box<dyn HandlerFuture + Send + 'a>) -> Self {
        Self(Box::into_pin(handler))
    }
}

impl Future for RunningHandler<'_> {
    type Output = Result<Value>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll_json(cx)
    }
}

/// The future of any handler, its result turned to JSON at the end. A trait rather than an `async`
/// block around the handler: it is instantiated once per operation, and costs the author's build
/// far less.
pub trait HandlerFuture {
    /// Goes on, see [`Future::poll`].
    fn poll_json(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Result<Value>>;
}

impl<T: IntoJson, F: Future<Output = Result<T>>> HandlerFuture for F {
    fn poll_json(self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Result<Value>> {
        match self.poll(cx) {
            Poll::Ready(Ok(value)) => Poll::Ready(Ok(value.into_json())),
            Poll::Ready(Err(fault)) => Poll::Ready(Err(fault)),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// An authority and the handlers that carry it out. Implemented by the generated `Tools`.
pub trait Toolset: Send + Sync + 'static {
    /// What it offers, at first. Asked once.
    fn authority(&self) -> Authority;

    /// What it offers while it runs, if that changes. It begins as [`Self::authority`].
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

    /// Runs any other operation: one that has joined, or one of an authority that came later. The arguments
    /// fit it. It may have left by now.
    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        _cx: &'a Context,
        _arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        let fault = Fault::new(Code::ToolNotFound, format!("There is no operation `{id}`."));
        RunningHandler::new(Box::new(std::future::ready(Err::<Value, _>(fault))))
    }

    /// Whether the provider of this name is there.
    fn provider(&self, _name: &str) -> Provision {
        Provision::Available
    }

    /// What the application does before a handler. Its fault ends the call.
    fn before<'a>(&'a self, _cx: &'a Context) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// What the application does after a handler, with what that came to.
    fn after<'a>(
        &'a self,
        _cx: &'a Context,
        _outcome: std::result::Result<&'a Value, &'a Fault>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }

    /// Where the application's news of changed resources come from.
    fn updates(&self) -> Updates {
        Updates::default()
    }

    /// Ends the application. Nothing calls it afterwards.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(ready(()))
    }
}

/// The generated `Tools<App>`, by type: tables without handlers, handlers from an application.
pub trait Tools: Toolset + Sized {
    /// The author's type that implements every `Handlers` trait.
    type App: App;

    /// The tables.
    const TABLES: &'static Tables<'static>;

    /// What is offered before the application is open, for those who only look around.
    fn offered() -> Authority {
        Authority::of(Self::TABLES)
    }

    /// Binds the handlers.
    fn new(app: Self::App) -> Self;

    /// Whose handlers they are.
    fn app(&self) -> &Self::App;
}

/// Handlers, and the application that knows what they need.
pub struct Application<T> {
    tools: T,
    updates: Updates,
}

impl<T: Tools> Application<T> {
    /// An application that is open, and the news that it was opened with.
    pub fn new(app: T::App, updates: Updates) -> Self {
        Self { tools: T::new(app), updates }
    }

    /// Opens the application.
    ///
    /// # Errors
    /// As [`App::open`].
    pub async fn open(options: <T::App as App>::Options) -> Opened<Self> {
        let updates = Updates::default();
        let app = T::App::open(options, updates.clone()).await?;
        Ok(Self::new(app, updates))
    }

    /// What `doctor` tells of it.
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

    fn provider(&self, name: &str) -> Provision {
        self.tools.app().provider(name)
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

/// For an application to close.
const CLOSE_TIME: Duration = Duration::from_secs(10);

/// Closes an application. One that takes too long is left behind, even if it blocks its thread.
pub async fn close(toolset: Arc<dyn Toolset>) {
    close_within(CLOSE_TIME, toolset).await;
}

async fn close_within(time: Duration, toolset: Arc<dyn Toolset>) {
    let runtime = Handle::current();
    // One time limit ends an application that awaits, the other leaves one that blocks.
    let closing =
        spawn_blocking(move || runtime.block_on(async { timeout(time, toolset.close()).await }));
    match timeout(time, closing).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Err(broken)) => tracing::error!(%broken, "the application broke when it was closed"),
        Ok(Ok(Err(_))) | Err(_) => {
            tracing::error!("the application takes too long to close, and is left behind");
        }
    }
}

/// What the opening of an application comes to.
pub type Opened<T> = std::result::Result<T, Box<dyn Error>>;

/// An author's application: the state behind the handlers.
pub trait App: Sized + Send + Sync + 'static {
    /// What it can be told when it opens; `()` for nothing. The command line takes it from flags, so it must
    /// be `clap::Args` there. A server without a command line takes the `Default`.
    type Options;

    /// Makes it ready to serve, inside the runtime of the server. Must be quick: a client is waiting.
    ///
    /// `updates` tells clients of resources that have changed, from outside a call, too. Keep it if you
    /// need it.
    ///
    /// # Errors
    /// Any reason that makes serving impossible; the operator sees the message.
    fn open(options: Self::Options, updates: Updates) -> impl Future<Output = Opened<Self>> + Send;

    /// Ends it when the server has stopped: handlers have been told to end, and none is called afterwards.
    /// After ten seconds the process goes on without it.
    fn close(&self) -> impl Future<Output = ()> + Send {
        ready(())
    }

    /// Runs before each handler, within its time limit. Not before answers that come from the cache or
    /// were given to the same idempotency key. A handler that is tried again is a handler each time.
    ///
    /// # Errors
    /// The fault with which the call ends. Its handler does not run, and [`Self::after`] neither.
    fn before(&self, _cx: &Context) -> impl Future<Output = Result<()>> + Send {
        // Without a size, so that boxing it allocates nothing.
        poll_fn(|_| Poll::Ready(Ok(())))
    }

    /// Runs after each handler, with the result as JSON before it is cut to what was asked for, or with
    /// its fault; a panic is `INTERNAL`. Not after handlers that were cancelled or ran out of time.
    fn after(
        &self,
        _cx: &Context,
        _outcome: std::result::Result<&Value, &Fault>,
    ) -> impl Future<Output = ()> + Send {
        poll_fn(|_| Poll::Ready(()))
    }

    /// Whether a provider of the manifest is there now. Operations that require one which is missing
    /// are not listed, and refused with `PROVIDER_UNAVAILABLE`. Asked about once a second while
    /// requests come in, so it must be quick: look at a file, or at what a task of your own found.
    fn provider(&self, _name: &str) -> Provision {
        Provision::Available
    }

    /// What `doctor` tells of it. It may take a moment, and may not change anything that matters.
    fn diagnose(&self) -> Vec<Check> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use futures::future::BoxFuture;

    use super::{ArgValues, Authority, Context, RunningHandler, Toolset, close_within};

    /// How it closes.
    enum Closing {
        Panics,
        Waits,
        /// Until the other end is dropped.
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
    async fn nobody_waits_for_ever_for_an_application_to_close() {
        let (held, end) = channel();
        for closing in [Closing::Panics, Closing::Waits, Closing::Blocks(Mutex::new(end))] {
            close_within(Duration::from_millis(1), Arc::new(closing)).await;
        }
        // Its thread ends with the test.
        drop(held);
    }
}
