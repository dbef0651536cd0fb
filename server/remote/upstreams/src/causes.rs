//! The causes of an error of a connection.

use std::error::Error;
use std::io;

use rmcp::ServiceError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::own_errors::is_own;

/// An error of a transport, and what caused it.
pub(crate) fn causes(
    error: &DynamicTransportError,
) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error.error.as_ref();
    std::iter::successors(Some(first), |&error| cause(error))
}

fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    // Neither says itself what it contains.
    if let Some(StreamableHttpError::<reqwest::Error>::Client(error)) = error.downcast_ref() {
        return Some(error);
    }
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
}

/// The innermost cause, which says most.
pub(crate) fn innermost(error: &DynamicTransportError) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

/// Why a request failed.
pub(crate) fn why(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => innermost(error),
        ServiceError::McpError(error) if is_own(error.code) => error.message.to_string(),
        error => error.to_string(),
    }
}
