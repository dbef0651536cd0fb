//! What the macro generates around an author's handlers, seen from the engine.

use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll};

use serde_json::{Map, Value};

use crate::authority::{Authority, LiveAuthority, Tables};
use crate::context::Context;
use crate::diagnosis::Check;
use crate::fault::{Code, Fault, Result};
use crate::provider::Provision;
use crate::slot::{IntoJson, Slots};

/// A handler at work. It borrows the application and the context of the call.
pub struct Running<'a>(Pin<Box<dyn HandlerFuture + Send + 'a>>);

impl<'a> Running<'a> {
    /// A handler's future, boxed where it was made.
    pub fn new(handler: Box<dyn HandlerFuture + Send + 'a>) -> Self {
        Self(Box::into_pin(handler))
    }
}

impl Future for Running<'_> {
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
    fn call<'a>(&'a self, operation: usize, cx: &'a Context, arguments: Slots) -> Running<'a>;

    /// Runs any other operation: one that has joined, or one of an authority that came later. The arguments
    /// fit it. It may have left by now.
    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        _cx: &'a Context,
        _arguments: Map<String, Value>,
    ) -> Running<'a> {
        let fault = Fault::new(Code::ToolNotFound, format!("There is no operation `{id}`."));
        Running::new(Box::new(std::future::ready(Err::<Value, _>(fault))))
    }

    /// Whether the provider of this name is there.
    fn provider(&self, _name: &str) -> Provision {
        Provision::Available
    }
}

/// The generated `Tools<App>`, by type: tables without handlers, handlers from an application.
pub trait Tools: Toolset + Sized {
    /// The author's type that implements every `Handlers` trait.
    type App: App;

    /// The tables.
    const TABLES: &'static Tables<'static>;

    /// Binds the handlers.
    fn new(app: Self::App) -> Self;

    /// Whose handlers they are.
    fn app(&self) -> &Self::App;
}

/// Handlers, and the application that knows what they need.
pub struct Application<T>(pub T);

impl<T: Tools> Toolset for Application<T> {
    fn authority(&self) -> Authority {
        self.0.authority()
    }

    fn call<'a>(&'a self, operation: usize, cx: &'a Context, arguments: Slots) -> Running<'a> {
        self.0.call(operation, cx, arguments)
    }

    fn live(&self) -> Option<&LiveAuthority> {
        self.0.live()
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> Running<'a> {
        self.0.call_by_id(id, cx, arguments)
    }

    fn provider(&self, name: &str) -> Provision {
        self.0.app().provider(name)
    }
}

/// An author's application: the state behind the handlers.
pub trait App: Sized + Send + Sync + 'static {
    /// What it can be told when it opens; `()` for nothing. The command line takes it from flags, so it must
    /// be `clap::Args` there. A server without a command line takes the `Default`.
    type Options;

    /// Makes it ready to serve. Must be quick: a client is waiting.
    ///
    /// # Errors
    /// Whatever makes serving impossible; the message is shown to the operator.
    fn open(options: Self::Options) -> std::result::Result<Self, Box<dyn std::error::Error>>;

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
