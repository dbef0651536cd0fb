//! What happens to upstreams, for logs, metrics and clients.

use std::sync::Arc;

use super::Status;
use crate::tools::ToolList;

/// Something that happened to an upstream.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// Its status is another one.
    Status(Box<Status>),
    /// It has listed its tools, at its start or because they have changed.
    Tools(Arc<ToolList>),
    /// It has listed its resources or prompts, because they have changed.
    Offers,
    /// It has written a line on standard error, or a log message.
    Said(Arc<str>),
}

/// Is told what happens to upstreams. It must not block.
pub trait Observer: Send + Sync + 'static {
    /// Receives an event of an upstream.
    fn observe(&self, upstream: &str, event: &Event);
}

/// Nobody.
pub(super) struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _: &str, _: &Event) {}
}
