//! Errors of JSON-RPC that stand in place of answers. Their codes are not on the wire.

use rmcp::model::ErrorCode;

/// The answer is too large.
pub(crate) const TOO_LARGE: ErrorCode = ErrorCode(-32098);
/// The answer cannot be read.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(-32097);
/// The server does not know the session, and the call was not made again.
pub(crate) const FORGOTTEN: ErrorCode = ErrorCode(-32096);

/// Whether an error is one of these.
pub(crate) fn is_own(code: ErrorCode) -> bool {
    [TOO_LARGE, UNREADABLE, FORGOTTEN].contains(&code)
}
