//! Why there is no answer. Texts of libraries may contain the URL, and with it a key, so they are not repeated.

use std::error::Error;
use std::io;

use toolwrit_network::Network;

use super::resolver::Forbidden;
use crate::failure::Failure;

pub(super) fn failure(provider: &str, error: &reqwest::Error) -> Box<Failure> {
    if let Some(found) = find::<Forbidden>(error) {
        return forbidden(provider, found);
    }
    if let Some(found) = find::<rustls::Error>(error) {
        return Failure::upstream(format!("TLS with {provider} failed: {found}."))
            .hinting("The operator of this server may need to name the certificates of a private authority.")
            .permanent();
    }
    if error.is_builder() {
        return Failure::defect("the request is not valid HTTP");
    }
    let io = find::<io::Error>(error).map(io::Error::kind);
    if error.is_connect() {
        let reason = match io {
            _ if error.is_dns() => "there is no such host",
            Some(io::ErrorKind::ConnectionRefused) => "the connection is refused",
            _ if error.is_timeout() => "it does not answer",
            _ => "no connection can be made",
        };
        return Failure::upstream(format!("{provider} cannot be reached: {reason}."));
    }
    let reason = match io {
        Some(
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe,
        ) => "the connection ended before the answer did",
        _ if error.is_decode() => "its answer cannot be decompressed, or is cut off",
        _ => "its answer is not valid HTTP, or is cut off",
    };
    Failure::upstream(format!("{provider} failed: {reason}.")).sent()
}

pub(super) fn forbidden(provider: &str, forbidden: &Forbidden) -> Box<Failure> {
    let Forbidden { address, needs_tls } = forbidden;
    let failure = Failure::unavailable(if *needs_tls {
        format!("{provider} is at {address}, a public address, and its URL has no TLS.")
    } else {
        format!("{provider} is at {address}, which is not a public address.")
    });
    failure.hinting(if *needs_tls {
        "The operator of this server sets a URL that begins with https://.".to_owned()
    } else {
        let network = Network::from_address(*address);
        format!("The operator of this server allows it with `networks = [\"{network}\"]` in `[providers.{provider}]`.")
    })
}

/// Finds an error of a type among the causes. Errors within [`io::Error`] are no causes of it.
fn find<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
