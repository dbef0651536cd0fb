//! An author's application.

use std::error::Error;
use std::future::{Future, poll_fn, ready};
use std::path::PathBuf;
use std::task::Poll;

use futures::future::BoxFuture;
use serde_json::Value;

use super::setup::Setup;
use crate::authority::Instance;
use crate::call::context::Context;
use crate::fault::{Fault, Result};
use crate::updates::Updates;

/// The result of opening an application.
pub type Opened<T> = std::result::Result<T, Box<dyn Error>>;

/// What an application could open on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// The flags that name what is opened. A candidate is given with the first.
    pub flags: &'static [&'static str],
    /// The candidates, the likeliest first.
    pub found: Vec<Candidate>,
}

/// Something that an application could open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its path.
    pub path: PathBuf,
    /// Its name, for people.
    pub title: String,
    /// What else helps people to choose, such as its size. May be empty.
    pub detail: String,
}

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

    /// Returns what the application could open on this machine, for users who have named nothing. `None` if there is nothing to
    /// choose, as by default.
    fn candidates() -> Option<Candidates> {
        None
    }

    /// Opens the application, inside the server's runtime. Must be quick, because a client is waiting.
    ///
    /// `updates` notifies clients of changed resources, also from outside a call. Keep it if you need it.
    ///
    /// # Errors
    /// Any reason that makes serving impossible; the operator sees the message.
    fn open(options: Self::Options, updates: Updates) -> impl Future<Output = Opened<Self>> + Send;

    /// Returns what the application says of itself: its providers, facts, checks and sample data. Called once, after
    /// [`Self::open`].
    fn setup(&self) -> Setup {
        Setup::new()
    }

    /// Returns the instances that it serves, such as vaults, if the manifest has a parameter for them (`instance` of a
    /// category). Called once, after [`Self::open`]. With at most one, calls have no such parameter.
    /// [`Context::instance`] tells a handler which one a call is about.
    fn instances(&self) -> Vec<Instance> {
        Vec::new()
    }

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
}

/// An application without handlers, for an authority whose operations are all bound to APIs or carried out by the engine:
/// `Tools<()>`.
impl App for () {
    type Options = ();

    async fn open((): (), _: Updates) -> Opened<Self> {
        Ok(())
    }
}

/// An open application, whatever its type.
pub trait Hooks: Send + Sync {
    /// Runs [`App::before`]. Its fault ends the call.
    fn before<'a>(&'a self, cx: &'a Context) -> BoxFuture<'a, Result<()>>;

    /// Runs [`App::after`] with the outcome of the handler.
    fn after<'a>(
        &'a self,
        cx: &'a Context,
        outcome: std::result::Result<&'a Value, &'a Fault>,
    ) -> BoxFuture<'a, ()>;

    /// Runs [`App::close`]. Nothing uses the application afterwards.
    fn close(&self) -> BoxFuture<'_, ()>;
}

impl<A: App> Hooks for A {
    fn before<'a>(&'a self, cx: &'a Context) -> BoxFuture<'a, Result<()>> {
        Box::pin(App::before(self, cx))
    }

    fn after<'a>(
        &'a self,
        cx: &'a Context,
        outcome: std::result::Result<&'a Value, &'a Fault>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(App::after(self, cx, outcome))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(App::close(self))
    }
}
