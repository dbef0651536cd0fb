//! Requests that carry no good credential.

/// Why a request has no identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "oauth"), expect(dead_code, reason = "some reasons only a JWT has"))]
pub(crate) enum Unidentified {
    /// It carries no token, and needs one.
    Missing,
    /// No account has this token, or it is not meant for this server.
    Invalid,
    /// The token was good once.
    Expired,
    /// The token is good, and has no scope that gives a role here.
    OutOfScope,
    /// The application, which looks for accounts itself, found none.
    Unknown,
    /// The keys that would tell cannot be fetched.
    Unverifiable,
}

impl Unidentified {
    /// How many reasons there are.
    #[cfg(not(feature = "metrics"))]
    pub(crate) const COUNT: usize = Self::Unverifiable as usize + 1;

    /// The reason in a word, for logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Invalid => "invalid",
            Self::Expired => "expired",
            Self::OutOfScope => "out_of_scope",
            Self::Unknown => "unknown",
            Self::Unverifiable => "unverifiable",
        }
    }
}
