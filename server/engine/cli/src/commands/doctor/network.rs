//! Checks the address of `--http`.

use std::net::{SocketAddr, TcpListener};

use toolwrit_core::diagnosis::Check;

/// Checks whether a server can listen there, without accepting connections.
pub(super) fn address(address: SocketAddr) -> Check {
    match TcpListener::bind(address) {
        Ok(_) => Check::ok("address", format!("{address} is free")),
        Err(error) => Check::fail(
            "address",
            format!("cannot listen on {address}: {error}"),
            "Stop the program that listens there, or choose another address with --http; port 0 chooses a free port.",
        ),
    }
}
