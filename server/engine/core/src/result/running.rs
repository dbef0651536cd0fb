//! The future of a handler, whose result becomes JSON.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;

use crate::arguments::value::IntoJson;
use crate::fault::Result;

/// A running handler. It borrows the application and the context of the call.
pub struct RunningHandler<'a>(Pin<Box<dyn HandlerFuture + Send + 'a>>);

impl<'a> RunningHandler<'a> {
    /// Wraps a handler's future, boxed by the generated code.
    pub fn new(handler: Box<dyn HandlerFuture + Send + 'a>) -> Self {
        Self(Box::into_pin(handler))
    }
}

impl Future for RunningHandler<'_> {
    type Output = Result<Value>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll_json(cx)
    }
}

/// The future of any handler, with its result converted to JSON. An `async` block around each handler would
/// do the same, but is instantiated once per operation and makes the author's build much slower.
pub trait HandlerFuture {
    /// Polls the handler, as [`Future::poll`].
    fn poll_json(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Value>>;
}

impl<T: IntoJson, F: Future<Output = Result<T>>> HandlerFuture for F {
    fn poll_json(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Value>> {
        match self.poll(cx) {
            Poll::Ready(Ok(value)) => Poll::Ready(Ok(value.into_json())),
            Poll::Ready(Err(fault)) => Poll::Ready(Err(fault)),
            Poll::Pending => Poll::Pending,
        }
    }
}
