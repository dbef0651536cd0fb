//! The causes of an error of a connection.

use std::error::Error;

use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// An error of a transport, and what caused it.
pub(crate) fn causes(
    error: &DynamicTransportError,
) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error.error.as_ref();
    std::iter::successors(Some(first), |&error| cause(error))
}

fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref() {
        // It does not say its source itself.
        Some(StreamableHttpError::<reqwest::Error>::Client(error)) => Some(error),
        _ => error.source(),
    }
}

/// The innermost cause, which says most.
pub(crate) fn innermost(error: &DynamicTransportError) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}
