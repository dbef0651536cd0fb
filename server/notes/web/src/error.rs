//! Errors of fetching a page.

use std::net::IpAddr;

/// Why a page cannot be fetched. No message contains more of the remote server than a status or a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// The URL is not one of a page of the web.
    #[error("this is not the URL of a page: {0}")]
    BadUrl(&'static str),
    /// The host has no address that may be reached.
    #[error("{host} is at {address}, which is not a public address")]
    NotPublic {
        /// The host in the URL.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
    /// The site's robots.txt disallows the page.
    #[error("the robots.txt of {origin} disallows this page")]
    Disallowed {
        /// Scheme, host and port.
        origin: String,
    },
    /// The site's robots.txt cannot be read, so that nothing may be fetched.
    #[error(
        "{origin} did not answer what may be fetched: its robots.txt failed with status {status}"
    )]
    RobotsFailed {
        /// Scheme, host and port.
        origin: String,
        /// The HTTP status.
        status: u16,
    },
    /// The server refused or failed.
    #[error("{host} answered with status {status}")]
    Status {
        /// The host in the URL.
        host: String,
        /// The HTTP status.
        status: u16,
        /// Seconds after which the server wants to be asked again, if it says so.
        retry_after: Option<u32>,
    },
    /// A redirect that leads nowhere, or too many of them.
    #[error("{host} {reason}")]
    Redirect {
        /// The host that redirects.
        host: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The page is larger than what is read.
    #[error("the page is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes, after decompression.
        limit: u64,
    },
    /// The page is not text.
    #[error("the page is not text: its type is {media_type}")]
    NotText {
        /// The media type that the server or the content says.
        media_type: String,
    },
    /// The page has too much structure to be converted.
    #[error("the page has too much structure to be converted")]
    TooComplex,
    /// Not finished within the time limit.
    #[error("{host} did not finish its answer in time")]
    Timeout {
        /// The host in the URL.
        host: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// No connection, no valid certificate, or not HTTP.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable {
        /// The host in the URL.
        host: String,
        /// What failed.
        reason: String,
    },
    /// An excerpt would start after the end.
    #[error("the page ends at character {length}")]
    BeyondEnd {
        /// The length of the page, in characters.
        length: usize,
    },
}
