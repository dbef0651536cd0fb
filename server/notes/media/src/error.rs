//! Why a file cannot be shown.

/// Why a file cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// The bytes are not what the name of the file says, or are damaged.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// An image has too many pixels to be decoded.
    #[error("it has {width} x {height} pixels; at most {most} are decoded")]
    TooManyPixels { width: u32, height: u32, most: u64 },
    /// An image does not get small enough.
    #[error("it does not fit into {0} bytes")]
    TooLarge(usize),
    /// A PDF document needs a password.
    #[error("it is protected by a password")]
    Encrypted,
    /// A PDF document has no such pages.
    #[error("it has {0} pages")]
    NoSuchPages(u32),
}

/// Runs a decoder. A panic in it is an unreadable file.
pub(crate) fn decode<T>(
    decoder: impl FnOnce() -> Result<T, MediaError> + std::panic::UnwindSafe,
) -> Result<T, MediaError> {
    std::panic::catch_unwind(decoder)
        .unwrap_or_else(|_| Err(MediaError::Unreadable("the decoder failed".to_owned())))
}
