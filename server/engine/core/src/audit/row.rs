//! Recorded calls, as the audit returns them.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

/// Which calls to return.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// At most this number of calls, the newest ones.
    pub limit: u32,
    /// Only calls since this time.
    pub since: Option<Timestamp>,
    /// Only calls of the operation with this id, or calls of this name that mean no operation.
    pub operation: Option<String>,
    /// Only calls of this account.
    pub principal: Option<String>,
    /// Only calls with this outcome: `ok`, or the code of a failure.
    pub outcome: Option<String>,
    /// Only calls of the client program of this name.
    pub client: Option<String>,
    /// Only calls of tools and operations, without other requests over HTTP, such as searches.
    pub only_calls: bool,
}

/// A recorded call. Its fields are the keys of `audit --json`.
#[derive(Debug, Serialize)]
pub struct AuditRow {
    /// When the call arrived: UTC, RFC 3339, milliseconds.
    pub time: String,
    /// The account.
    pub principal: String,
    /// The name of the client program.
    pub client: Option<String>,
    /// The surface of the tool that was called; `direct` on the command line.
    pub surface: String,
    /// The name that was called.
    pub name: String,
    /// The id of the operation.
    pub operation: Option<String>,
    /// The effect of the operation.
    pub effect: Option<String>,
    /// The focus mode in force.
    pub focus: String,
    /// The role in force.
    pub role: String,
    /// What the policy decided.
    pub decision: String,
    /// `ok`, or the code of the failure.
    pub outcome: String,
    /// The duration in microseconds.
    pub micros: i64,
    /// Bytes of the arguments as JSON.
    pub bytes_in: i64,
    /// Bytes of the result as JSON.
    pub bytes_out: i64,
    /// The name of what the call was about, such as a vault.
    pub instance: Option<String>,
    /// The name of the replica; `None` if there were no others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replica: Option<String>,
    /// The arguments, if they passed validation.
    pub arguments: Option<Box<RawValue>>,
}
