//! URLs that the operator or the authorization server names.

use std::net::IpAddr;
use std::str::FromStr;

use axum::http::Uri;

/// An absolute URL without query and fragment, with `https`, or with `http` on this machine. Keeps the
/// original text, because issuers and audiences are compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    /// Byte offset of the path in the text.
    path_at: usize,
}

/// Text that is not an [`Address`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a URL such as `https://example.com/path`, without query and fragment; `http` only on \
     this machine"
)]
pub struct BadAddress;

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        // `WWW-Authenticate` contains the text in quotes.
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '?' | '#' | '@');
        let uri = Uri::from_str(text).map_err(|_| BadAddress)?;
        let (scheme, host) = uri.scheme_str().zip(uri.host()).ok_or(BadAddress)?;
        let is_safe = scheme == "https" || (scheme == "http" && is_this_machine(host));
        if !is_safe || host.is_empty() || !text.chars().all(plain) {
            return Err(BadAddress);
        }
        let after_scheme = scheme.len() + "://".len();
        let authority = text.get(after_scheme..).ok_or(BadAddress)?;
        let path_at = after_scheme + authority.find('/').unwrap_or(authority.len());
        Ok(Self { text: text.to_owned(), path_at })
    }
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

impl Address {
    /// The original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Host and port.
    pub fn authority(&self) -> &str {
        let after_scheme = self.text.find("://").map_or(0, |at| at + "://".len());
        &self.text[after_scheme..self.path_at]
    }

    /// The path without a trailing slash; empty for the root.
    pub(super) fn path(&self) -> &str {
        self.text[self.path_at..].trim_end_matches('/')
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> &str {
        &self.text[..self.path_at]
    }

    /// Returns the URL of a well-known document about this address: the name goes between host and path
    /// (RFC 8414, RFC 9728).
    pub(crate) fn well_known(&self, name: &str) -> String {
        format!("{}/.well-known/{name}{}", self.origin(), self.path())
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn only_safe_addresses_parse() {
        for good in [
            "https://auth.example.com",
            "https://auth.example.com:8443/realms/a/",
            "http://localhost:8080/mcp",
            "http://127.0.0.1/",
            "http://[::1]:9",
        ] {
            assert_eq!(good.parse::<Address>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "auth.example.com",
            "http://auth.example.com",
            "http://localhost.example.com",
            "ftp://localhost/",
            "https://",
            "https:///path",
            "https://a@example.com",
            "https://example.com/?a=b",
            "https://example.com/#a",
            "https://example.com/\"",
            "https://example.com/a b",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_well_known_name_goes_between_host_and_path() {
        let well_known = |text: &str| text.parse::<Address>().unwrap().well_known("x");
        assert_eq!(well_known("https://a.example/mcp"), "https://a.example/.well-known/x/mcp");
        assert_eq!(well_known("https://a.example:1/"), "https://a.example:1/.well-known/x");
        assert_eq!(well_known("https://a.example"), "https://a.example/.well-known/x");
    }
}
