//! Which addresses may be reached on behalf of others. An address that is not public may lead to this machine, to
//! its network or to the metadata of a cloud, which trust whoever can reach them.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

/// A network whose addresses may be reached although they are not public: `10.0.0.0/8`, `127.0.0.1`,
/// `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// Text that is not a [`Network`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected an address or a network, such as 127.0.0.1, 10.0.0.0/8 or fd00::/8")]
pub struct BadNetwork;

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Self, BadNetwork> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map(Self).map_err(|_| BadNetwork)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Network {
    /// The special network that an IPv4 address belongs to; for other addresses the address alone.
    pub fn from_address(address: IpAddr) -> Self {
        let special = SPECIAL_V4.into_iter().map(IpNet::from);
        let mut found = special.filter(|network| network.contains(&address));
        Self(found.next().unwrap_or_else(|| address.into()))
    }

    /// Whether an address belongs to the network.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

/// IPv4 networks that are not public, by IANA's registry of special-purpose addresses.
const SPECIAL_V4: [Ipv4Net; 16] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
    // Not in the registry: the metadata of Azure.
    v4(168, 63, 129, 16, 32),
];

/// The IPv6 addresses that are assigned to hosts of the Internet. Everything else is special: loopback,
/// link-local, private, multicast, and IPv4 addresses that are mapped or translated (NAT64).
const GLOBAL_V6: Ipv6Net = v6([0x2000, 0, 0, 0], 3);

/// The special networks among them, by IANA's registry.
const SPECIAL_V6: [Ipv6Net; 4] = [
    // Protocol assignments, among them Teredo, which contains IPv4 addresses.
    v6([0x2001, 0, 0, 0], 23),
    v6([0x2001, 0x0db8, 0, 0], 32),
    // 6to4, which contains IPv4 addresses.
    v6([0x2002, 0, 0, 0], 16),
    v6([0x3fff, 0, 0, 0], 20),
];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([a, b, c, d]: [u16; 4], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), prefix)
}

/// Whether an address may be reached: it is public, or in an allowed network.
pub fn is_allowed(address: IpAddr, allowed: &[Network]) -> bool {
    is_public(address) || allowed.iter().any(|network| network.contains(address))
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|network| network.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_V6.contains(&address)
                && !SPECIAL_V6.iter().any(|network| network.contains(&address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Network, is_allowed};

    fn allowed(address: &str, networks: &[&str]) -> bool {
        let networks: Vec<Network> = networks.iter().map(|text| text.parse().unwrap()).collect();
        is_allowed(address.parse().unwrap(), &networks)
    }

    #[test]
    fn special_addresses_are_not_public() {
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:a00:1::",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!allowed(special, &[]), "{special}");
        }
    }

    #[test]
    fn other_addresses_are_public() {
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "2606:4700::1111",
        ] {
            assert!(allowed(public, &[]), "{public}");
        }
    }

    #[test]
    fn only_the_named_networks_are_allowed_besides() {
        assert!(allowed("127.0.0.1", &["127.0.0.1"]));
        assert!(!allowed("127.0.0.2", &["127.0.0.1"]));
        assert!(!allowed("::1", &["127.0.0.0/8"]));
        assert!(!allowed("::ffff:127.0.0.1", &["127.0.0.0/8"]));
        assert!(allowed("10.9.8.7", &["fd00::/8", "10.0.0.0/8"]));
        assert!(allowed("fd00::1", &["fd00::/8"]));
        for bad in ["", "localhost", "10.0.0.0/33", "10.0.0", "10.0.0.0/-1"] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
