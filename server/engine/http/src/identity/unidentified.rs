//! Reasons to refuse a request for its credential.

/// Why a request has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "some reasons only a JWT has"))]
pub(crate) enum Unidentified {
    /// The request has no token, but needs one.
    Missing,
    /// No account has this token, or the token cannot be verified.
    Invalid,
    /// The token is valid, but another authorization server has issued it.
    WrongIssuer,
    /// The token is valid, but for another server.
    WrongAudience,
    /// The token has expired.
    Expired,
    /// The token is valid, but no scope of it gives a role here.
    OutOfScope,
    /// The application's authentication function found no account.
    Unknown,
    /// The keys that verify the token cannot be fetched.
    Unverifiable,
}

impl Unidentified {
    /// The number of reasons.
    #[cfg(not(feature = "metrics"))]
    pub(crate) const COUNT: usize = Self::Unverifiable as usize + 1;

    /// The reason as one word, for logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::WrongIssuer => "wrong_issuer",
            Self::WrongAudience => "wrong_audience",
            Self::Expired => "expired",
            Self::OutOfScope => "out_of_scope",
            Self::Unknown => "unknown",
            Self::Unverifiable => "unverifiable",
        }
    }
}
