//! What the programs of one test share: an address of their own, a folder, and signals.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

use crate::requirement::{Need, met};
use crate::waiting::until;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// The programs of PostgreSQL, which Debian keeps out of the path.
pub(super) const POSTGRES: &str = "/usr/lib/postgresql/15/bin";
pub(super) const HAPROXY: &str = "/usr/sbin/haproxy";
const FAKETIME: &str = "/usr/bin/faketime";

/// Whether the programs of others are here.
pub(super) fn is_complete() -> bool {
    let initdb = PathBuf::from(POSTGRES).join("initdb");
    let needs = [&initdb, Path::new(HAPROXY), Path::new(FAKETIME)].map(Need::File);
    met(&needs, "apt install postgresql haproxy faketime")
}

/// A machine of its own for each test, as far as programs can tell: an address of the loopback network at which no other test
/// listens. So ports can be fixed, and none of them is one that the system gives to clients.
pub(super) struct Machine {
    address: Ipv4Addr,
    folder: TempDir,
}

impl Machine {
    pub(super) fn new() -> Self {
        let mut bytes = [0; 3];
        getrandom::fill(&mut bytes).unwrap();
        let [a, b, c] = bytes;
        // Not those that end in .0.0.1 or .255.255.255, which have a meaning.
        let address = Ipv4Addr::new(127, a.clamp(1, 254), b, c.clamp(2, 254));
        Self { address, folder: TempDir::new().unwrap() }
    }

    pub(super) fn at(&self, port: u16) -> SocketAddr {
        SocketAddr::new(IpAddr::V4(self.address), port)
    }

    /// Lets other accounts reach the folders of the machine that belong to them.
    pub(super) fn open_to_all(&self) {
        fs::set_permissions(self.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A new folder.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}

/// Waits until something listens there, and fails if the program that should ends before.
pub(super) fn listens(what: &str, address: SocketAddr, child: &mut Child) {
    until(&format!("{what} to listen"), || {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "{what} has ended: {ended:?}");
        TcpStream::connect(address).is_ok()
    });
}

pub(super) fn send(signal: Signal, child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// Ends a program with a signal, and waits for it. It may have ended already.
pub(super) fn end(signal: Signal, child: &mut Child) {
    if child.try_wait().unwrap().is_none() {
        send(signal, child);
        child.wait().unwrap();
    }
}
