//! Keys that seal what clients hold between requests.

use std::fmt;

/// What a key seals. What is sealed for one purpose cannot be opened for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The state of a request that the client repeats with answers.
    RequestState,
    /// Where a page of a bound operation begins.
    Cursor,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Self; 2] = [Self::RequestState, Self::Cursor];

    /// Returns the name from which a key of this purpose is derived. It must stay the same.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RequestState => "request state",
            Self::Cursor => "cursor",
        }
    }
}

/// A key with the id by which other replicas find it.
#[derive(Clone, PartialEq, Eq)]
pub struct SealKey {
    /// The id, which is no secret.
    pub id: String,
    /// The key.
    pub secret: [u8; 32],
}

impl SealKey {
    /// Makes a random key; `None` if the system has no random numbers.
    pub(crate) fn random() -> Option<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        Some(Self { id: "own".to_owned(), secret })
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The keys of one purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealKeys {
    /// The key that seals.
    pub sealing: SealKey,
    /// Other keys that open: older ones, and newer ones that some replicas do not know yet.
    pub opening: Vec<SealKey>,
}
