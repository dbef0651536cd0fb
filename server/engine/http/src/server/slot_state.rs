//! What the server knows about the connection at a slot: who holds it, what it is doing, and since when.

use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

use toolwrit_core::caller::principal::Principal;

/// The state of one connection's slot.
pub(super) struct SlotState {
    pub(super) holder: Holder,
    pub(super) phase: Phase,
    /// When the phase began, or when the client last sent a part of a body.
    pub(super) since: Instant,
    /// When the connection was asked to leave. `None` after it has decided.
    pub(super) asked: Option<Instant>,
    pub(super) has_ended: bool,
    /// Since when the client reads nothing of what is sent to it.
    pub(super) stalled: Option<Instant>,
    /// Bytes held for the client.
    pub(super) bytes: usize,
    /// Whether the client may still be sending the body of the latest request.
    pub(super) is_written_to: bool,
}

/// Who holds a slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    /// A peer without a valid credential, by its network.
    Stranger(IpAddr),
    /// An account with a valid credential.
    Known(Principal),
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waits for a request, or for the rest of its head.
    Idle,
    /// Waits for the rest of a body.
    Body,
    /// The server works on a request.
    Work,
    /// Waits for the client to read the rest of its answer.
    Sent,
}

impl SlotState {
    /// Returns the state of a new connection from this address.
    pub(super) fn new(address: IpAddr) -> Self {
        Self {
            holder: Holder::from_address(address),
            phase: Phase::Idle,
            since: Instant::now(),
            asked: None,
            has_ended: false,
            stalled: None,
            bytes: 0,
            is_written_to: false,
        }
    }

    /// Since when the connection has waited for its client. `None` if it does not.
    pub(super) fn waiting(&self) -> Option<Instant> {
        if self.phase == Phase::Work { self.stalled } else { Some(self.since) }
    }

    /// Begins a phase.
    pub(super) fn enter(&mut self, phase: Phase) {
        (self.phase, self.since) = (phase, Instant::now());
    }
}

impl Holder {
    /// Returns the holder of a slot whose connection has shown no valid credential.
    pub(super) fn from_address(address: IpAddr) -> Self {
        Self::Stranger(network(address))
    }
}

/// The network that counts as one peer: a client may have all addresses of an IPv6 /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn addresses_of_one_network_count_together() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:0:0:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.2"), network("192.0.2.1"));
    }
}
