//! The address of `--http`.

use std::net::{SocketAddr, TcpListener};

use toolwrit_core::diagnosis::Check;

/// Whether a server could listen there. Nothing is accepted meanwhile.
pub(super) fn address(address: SocketAddr) -> Check {
    match TcpListener::bind(address) {
        Ok(_) => Check::ok("address", format!("{address} is free")),
        Err(error) => Check::fail(
            "address",
            format!("cannot listen on {address}: {error}"),
            "Stop what listens there, or choose another address with --http; port 0 takes a free one.",
        ),
    }
}
