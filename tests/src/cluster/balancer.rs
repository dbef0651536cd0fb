//! haproxy, as the guide configures it.

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;

use super::machine::{HAPROXY, Machine, end, listens};

/// The pages of the guide that have files.
const PAGES: [&str; 2] = [
    include_str!("../../../docs/src/guide/replicas.md"),
    include_str!("../../../docs/src/guide/deployment.md"),
];
const PORT: u16 = 8080;

/// A balancer in front of the replicas. It is stopped when dropped.
pub struct Balancer {
    child: Option<Child>,
    file: PathBuf,
    socket: PathBuf,
    pub address: SocketAddr,
}

impl Drop for Balancer {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.stop();
        }
    }
}

/// The block of the guide that is marked with this name.
pub fn sample(name: &str) -> &'static str {
    let mark = format!("<!-- sample {name} -->\n");
    let (_, after) = PAGES.iter().find_map(|page| page.split_once(&mark)).unwrap();
    after.split("```").nth(1).and_then(|block| block.split_once('\n')).unwrap().1
}

/// Replaces what must be another here, and must be there once.
fn with(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
    text.replace(from, to)
}

impl Balancer {
    pub(super) fn start(machine: &Machine, replicas: [SocketAddr; 3]) -> Self {
        let address = machine.at(PORT);
        let text = with(sample("haproxy.cfg"), "bind :8080", &format!("bind {address}"));
        let text = ["a", "b", "c"].iter().zip(replicas).fold(text, |text, (name, replica)| {
            with(&text, &format!("replica-{name}:8080"), &replica.to_string())
        });
        let folder = machine.folder("balancer");
        let socket = folder.join("socket");
        let global = format!("    maxconn 4096\n    stats socket {}\n", socket.display());
        let text = with(&text, "    maxconn 4096\n", &global);
        let file = folder.join("haproxy.cfg");
        std::fs::write(&file, text).unwrap();
        let mut balancer = Self { child: None, file, socket, address };
        balancer.begin();
        balancer
    }

    /// Starts it, after a stop, too.
    pub fn begin(&mut self) {
        let mut haproxy = Command::new(HAPROXY);
        haproxy.arg("-db").arg("-f").arg(&self.file).stdin(Stdio::null());
        let mut child = haproxy.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        listens("haproxy", self.address, &mut child);
        self.child = Some(child);
    }

    /// Whether it sends requests to the replica of this name.
    pub fn uses(&self, name: &str) -> bool {
        let mut socket = UnixStream::connect(&self.socket).unwrap();
        socket.write_all(b"show stat\n").unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).unwrap();
        let mut rows = text.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let head = rows.next().unwrap();
        let column = head.iter().position(|column| *column == "status").unwrap();
        let row = rows.find(|row| row[..2] == ["replicas", name]).unwrap();
        row[column] == "UP"
    }

    pub fn stop(&mut self) {
        end(Signal::SIGKILL, &mut self.child.take().unwrap());
    }
}
