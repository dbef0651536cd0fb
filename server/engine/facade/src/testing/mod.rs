//! Tests of handlers without files and sockets.

#[cfg(feature = "stdio")]
mod client;

use serde_json::Value;

use crate::server::Server;
#[cfg(feature = "stdio")]
pub use client::TestClient;
use toolwrit_core::fault::{Fault, Result};
pub use toolwrit_core::test_context::TestContext;
use toolwrit_core::toolset::Tools;

/// Calls an operation through the whole pipeline, as the user of the server and without confirmation.
///
/// # Errors
/// The fault with which the call ends.
pub async fn call<T: Tools>(app: T::App, operation: &str, arguments: Value) -> Result<Value> {
    let server =
        Server::builder::<T>(app).build().map_err(|error| Fault::internal(error.to_string()))?;
    server.call(operation, arguments).await
}
