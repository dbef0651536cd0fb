//! PostgreSQL, as Debian has it, with every commit synced to the disk.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::waiting::until;
use nix::sys::signal::Signal;
use nix::unistd::{User, chown, geteuid};

use super::machine::{Machine, POSTGRES, end};

const PORT: u16 = 5432;
const USER: &str = "toolwrit";

/// A database server. It is stopped when dropped.
pub struct Database {
    address: SocketAddr,
    folder: PathBuf,
    child: Option<Child>,
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Its processes end at once.
            end(Signal::SIGQUIT, child);
        }
    }
}

/// A program of PostgreSQL, which refuses to be run by the superuser.
fn command(program: &str) -> Command {
    let mut command = Command::new(Path::new(POSTGRES).join(program));
    if let Some(user) = unprivileged() {
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw()).current_dir("/");
    }
    command.env_clear().env("LC_ALL", "C.UTF-8").env("PATH", POSTGRES);
    command
}

/// The account of Debian's package, if this process is the superuser's.
fn unprivileged() -> Option<User> {
    geteuid().is_root().then(|| User::from_name("postgres").unwrap().unwrap())
}

impl Database {
    pub(super) fn start(machine: &Machine) -> Self {
        let folder = machine.folder("database");
        if let Some(user) = unprivileged() {
            chown(&folder, Some(user.uid), Some(user.gid)).unwrap();
            machine.open_to_all();
        }
        let made = command("initdb")
            .args(["--no-sync", "--auth", "trust", "--encoding", "UTF8", "--username", USER])
            .arg("--pgdata")
            .arg(folder.join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut database = Self { address: machine.at(PORT), folder, child: None };
        database.begin();
        database
    }

    /// Starts it, after a stop or a crash, too.
    pub fn begin(&mut self) {
        let log = self.folder.with_extension("log");
        let settings = [
            format!("listen_addresses={}", self.address.ip()),
            format!("port={}", self.address.port()),
            "unix_socket_directories=".to_owned(),
            "fsync=on".to_owned(),
            "max_connections=60".to_owned(),
            "shared_buffers=32MB".to_owned(),
        ];
        // After a kill its remaining processes keep the memory for a moment, and it refuses to start.
        until("the database", || {
            let started =
                self.child.as_mut().is_some_and(|child| child.try_wait().unwrap().is_none());
            if !started {
                let log = File::options().create(true).append(true).open(&log).unwrap();
                let mut postgres = command("postgres");
                postgres.arg("-D").arg(self.folder.join("data"));
                postgres.args(settings.iter().flat_map(|setting| ["-c", setting]));
                postgres.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
                self.child = Some(postgres.spawn().unwrap());
            }
            self.answers()
        });
    }

    /// Ends it with a signal. `SIGKILL` is a crash of its main process, at which the others end by themselves; `SIGINT` ends it
    /// in order.
    pub fn stop(&mut self, signal: Signal) {
        end(signal, &mut self.child.take().unwrap());
    }

    pub fn url(&self) -> String {
        format!("postgres://{USER}@{}/postgres?sslmode=disable", self.address)
    }

    /// Its processes, of which each connection has one.
    pub fn processes(&self) -> Vec<u32> {
        let main = self.child.as_ref().unwrap().id();
        let children = fs::read_to_string(format!("/proc/{main}/task/{main}/children")).unwrap();
        let children = children.split_whitespace().map(|id| id.parse().unwrap());
        children.chain([main]).collect()
    }

    fn answers(&self) -> bool {
        self.psql("select 1").is_ok()
    }

    /// The rows of a query, as PostgreSQL's own client prints them.
    pub fn rows(&self, query: &str) -> Vec<Vec<String>> {
        let text = self.psql(query).unwrap();
        text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect()
    }

    fn psql(&self, query: &str) -> Result<String, String> {
        let (host, port) = (self.address.ip().to_string(), self.address.port().to_string());
        let output = command("psql")
            .args(["--no-psqlrc", "--tuples-only", "--no-align", "--username", USER])
            .args(["--host", &host, "--port", &port, "--dbname", "postgres", "--command", query])
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }
}
