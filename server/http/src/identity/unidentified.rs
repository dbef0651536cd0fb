//! Requests that carry no good credential.

/// Why a request has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unidentified {
    /// It carries no token, and needs one.
    Missing,
    /// No account has this token, or it is not meant for this server.
    Invalid,
    /// The token was good once.
    Expired,
    /// The token is good, and has no scope that gives a role here.
    OutOfScope,
    /// The keys that would tell cannot be fetched.
    Unverifiable,
}

impl Unidentified {
    /// The reason in a word, for logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Expired => "expired",
            Self::OutOfScope => "out_of_scope",
            Self::Unverifiable => "unverifiable",
        }
    }
}
