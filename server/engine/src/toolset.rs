//! What the macro generates around an author's handlers, seen from the engine.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

use crate::authority::Authority;
use crate::context::Context;
use crate::fault::Result;
use crate::slot::{IntoJson, Slots};

/// A handler at work. It borrows the application and the context of the call.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Reply>> + Send + 'a>>;

/// What a handler gave back, before shaping.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// Plain text.
    Text(String),
    /// The declared result.
    Json(Value),
}

/// Runs a handler that gives back plain text.
pub fn text<'a>(handler: impl Future<Output = Result<String>> + Send + 'a) -> Running<'a> {
    Box::pin(async move { handler.await.map(Reply::Text) })
}

/// Runs a handler that gives back a declared result.
pub fn json<'a, T: IntoJson>(handler: impl Future<Output = Result<T>> + Send + 'a) -> Running<'a> {
    // Instantiated once per operation: a `match` costs the author's build less than `map`.
    Box::pin(async move {
        match handler.await {
            Ok(value) => Ok(Reply::Json(value.into_json())),
            Err(fault) => Err(fault),
        }
    })
}

/// An authority and the handlers that carry it out. Implemented by the generated `Tools`.
pub trait Toolset: Send + Sync + 'static {
    /// The tables.
    fn authority(&self) -> &'static Authority;

    /// Runs the handler of the operation at this position.
    fn call<'a>(&'a self, operation: usize, cx: &'a Context, arguments: Slots) -> Running<'a>;
}

/// The generated `Tools<App>`, by type: tables without handlers, handlers from an application.
pub trait Tools: Toolset + Sized {
    /// The author's type that implements every `Handlers` trait.
    type App: App;

    /// The tables.
    const AUTHORITY: &'static Authority;

    /// Binds the handlers.
    fn new(app: Self::App) -> Self;
}

/// An author's application: the state behind the handlers.
pub trait App: Sized + Send + Sync + 'static {
    /// Flags that it adds to the commands that run handlers; `()` for none.
    type Options: clap::Args;

    /// Makes it ready to serve. Must be quick: a client is waiting.
    ///
    /// # Errors
    /// Whatever makes serving impossible; the message is shown to the operator.
    fn open(options: Self::Options) -> std::result::Result<Self, Box<dyn std::error::Error>>;
}
