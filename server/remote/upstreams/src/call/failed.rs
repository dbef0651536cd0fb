//! What the errors of a connection mean to a caller.

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::StatusCode;
use rmcp::ServiceError;
use rmcp::model::{ErrorCode, ErrorData, ServerResult};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpError,
};

use toolwrit_text::Secrets;

use crate::causes::{causes, innermost};
use crate::connection::Refusal;
use crate::failure::Failure;
use crate::model::NoToken;
use crate::own_errors::{FORGOTTEN, TOO_LARGE, UNREADABLE};
use toolwrit_text::shorten::visible_line;
use toolwrit_words::Code;

/// Size limit of a result as compact JSON, in bytes.
pub(super) const MAX_RESULT: usize = 8 * 1024 * 1024;
/// Length limit of an error of the upstream, in characters.
pub(super) const MAX_TEXT: usize = 500;

/// The connection has ended during the call.
pub(super) fn lost() -> Failure {
    Failure::upstream("The upstream ended during the call, which may have been done.").sent()
}

/// The deadline has passed.
pub(super) fn late(what: &str) -> Failure {
    let message = format!("{what} did not answer in time. The call may have been done.");
    Failure::new(Code::Timeout, message).sent()
}

/// The result is larger than callers may receive.
pub(super) fn too_large() -> Failure {
    let most = MAX_RESULT / 1024 / 1024;
    Failure::new(Code::ResultTooLarge, format!("The result is larger than {most} MiB."))
        .hinting("Ask for less, for example for fewer items or a page.")
        .sent()
}

/// The failure of a request. Its errors are in words of the upstream, which may repeat secrets.
pub(super) fn failure(error: &ServiceError, secrets: &Secrets) -> Failure {
    match error {
        ServiceError::McpError(error) => refused(error),
        ServiceError::TransportSend(error) => unsent(error, secrets),
        error => Failure::upstream(format!(
            "The upstream failed: {}.",
            visible_line(&secrets.mask(&error.to_string()), MAX_TEXT)
        ))
        .sent(),
    }
}

/// An error of JSON-RPC.
fn refused(error: &ErrorData) -> Failure {
    let text = visible_line(&error.message, MAX_TEXT);
    match error.code {
        TOO_LARGE => too_large(),
        UNREADABLE => Failure::upstream(format!("The call has no result: {text}.")).sent(),
        FORGOTTEN => Failure::upstream(format!(
            "The upstream refused the call, because its session had ended: {text}."
        ))
        .hinting("The next call begins another session. Call again."),
        ErrorCode::INVALID_PARAMS => {
            Failure::new(Code::ValidationError, format!("The upstream refuses the call: {text}"))
        }
        ErrorCode::METHOD_NOT_FOUND => {
            Failure::unavailable(format!("The upstream has no such tool: {text}"))
        }
        ErrorCode(code) => {
            Failure::upstream(format!("The upstream failed with {code}: {text}")).sent()
        }
    }
}

/// A result of another method, or of a kind that we do not offer.
pub(super) fn unexpected(result: &ServerResult, what: &str) -> Failure {
    if matches!(result, ServerResult::InputRequiredResult(_)) {
        return asks(what);
    }
    Failure::upstream(format!("{what} answered with a result of another kind.")).sent()
}

/// Questions that are not offered.
pub(crate) fn asks(what: &str) -> Failure {
    Failure::upstream(format!("{what} asks the user, which is not offered to it."))
}

/// Whether a program has closed its standard input, so that it has not read the whole message.
pub(super) fn is_broken_pipe(error: &DynamicTransportError) -> bool {
    let mut causes = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// An error of HTTP.
fn unsent(error: &DynamicTransportError, secrets: &Secrets) -> Failure {
    if let Some(why) = causes(error).find_map(|cause| cause.downcast_ref::<NoToken>()) {
        return Failure::unavailable(visible_line(&why.reason, MAX_TEXT));
    }
    if causes(error).any(<dyn Error>::is::<AuthRequiredError>) {
        return Failure::unavailable("The upstream refuses the credentials.")
            .hinting("Check the headers of the upstream.");
    }
    if let Some(forbidden) = causes(error).find_map(|cause| cause.downcast_ref()) {
        return beyond_scope(forbidden);
    }
    if let Some(refusal) = causes(error).find_map(|cause| cause.downcast_ref()) {
        return refused_with(refusal, secrets);
    }
    if let Some(StreamableHttpError::<reqwest::Error>::ResponseBodyTooLarge { .. }) =
        causes(error).find_map(|cause| cause.downcast_ref())
    {
        return too_large();
    }
    let text = secrets.mask(&innermost(error));
    let text = visible_line(text.trim_end_matches('.'), MAX_TEXT);
    let failure = Failure::upstream(format!("The upstream cannot be reached: {text}."));
    let mut requests = causes(error).filter_map(|cause| cause.downcast_ref::<reqwest::Error>());
    if requests.any(reqwest::Error::is_connect) { failure } else { failure.sent() }
}

/// The access token does not allow the call.
fn beyond_scope(error: &InsufficientScopeError) -> Failure {
    // Users paste it into a shell.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " :/._-+*".contains(c);
    let wanted = error.required_scope.clone().filter(|scope| scope.chars().all(is_plain));
    let more = wanted.as_ref().map(|scope| format!(" without the scope `{scope}`"));
    let message = format!("The upstream does not allow the call{}.", more.unwrap_or_default());
    let failure = Failure::new(Code::UpstreamForbidden, message);
    Failure { wanted_scope: wanted.map(String::into_boxed_str), ..failure }
}

fn refused_with(refusal: &Refusal, secrets: &Secrets) -> Failure {
    if refusal.status != StatusCode::TOO_MANY_REQUESTS {
        let text = secrets.mask(&refusal.to_string());
        let text = visible_line(text.trim_end_matches('.'), MAX_TEXT);
        return Failure::upstream(format!("The upstream answered with {text}.")).sent();
    }
    let failure = Failure::new(Code::LimitExceeded, "The upstream has too many requests.");
    match refusal.retry_after.as_deref().map(str::parse) {
        Some(Ok(seconds)) => failure.after(Duration::from_secs(seconds)),
        _ => failure,
    }
}
