//! Three replicas of the ledger on one database.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::drivers::http::{Home, Server};
use crate::program::ledger;
use crate::waiting::until;
use nix::sys::signal::Signal;

use super::balancer::Balancer;
use super::caller::Caller;
use super::database::Database;
use super::machine::{Machine, is_complete, send};

/// The names of the replicas.
pub const NAMES: [&str; 3] = ["a", "b", "c"];
/// Of the first replica; the others follow.
const PORT: u16 = 8081;

/// The replicas and what they share. All is stopped when it is dropped, the replicas first.
pub struct Cluster {
    program: &'static Path,
    replicas: [Option<Server>; 3],
    flags: Vec<String>,
    pub balancer: Balancer,
    pub database: Database,
    machine: Machine,
}

impl Cluster {
    /// Starts replicas of the ledger with these flags; `None` if this machine lacks a program.
    pub fn start(flags: &[&str]) -> Option<Self> {
        Self::of(ledger(), flags)
    }

    /// Starts replicas of any program.
    pub fn of(program: &'static Path, flags: &[&str]) -> Option<Self> {
        if !is_complete() {
            return None;
        }
        let machine = Machine::new();
        let database = Database::start(&machine);
        let balancer = Balancer::start(&machine, addresses(&machine));
        let replicas = [None, None, None];
        let mut cluster =
            Self { program, replicas, flags: Vec::new(), balancer, database, machine };
        cluster.set_flags(flags);
        for replica in 0..NAMES.len() {
            cluster.begin(replica);
        }
        Some(cluster)
    }

    /// Starts a replica, and waits until it should get requests.
    pub fn begin(&mut self, replica: usize) {
        self.begin_in(&[], replica);
    }

    /// Starts a replica with these variables in its environment.
    pub fn begin_in(&mut self, environment: &[(&str, &str)], replica: usize) {
        let address = addresses(&self.machine)[replica].to_string();
        let mut command =
            self.command(replica, &["serve", "--surface", "flat", "--http", &address]);
        command.args(["--state", &self.database.url()]);
        command.args(["--location", "ledger", "--replica", NAMES[replica]]);
        command.args(&self.flags).envs(environment.iter().copied());
        let server = Server::start(command);
        until("a ready replica", || server.get("/readyz", &[]).status == 200);
        self.replicas[replica] = Some(server);
    }

    /// A command of the program, in the home of a replica.
    pub fn command(&self, replica: usize, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        let home = self.home(replica);
        command.args(arguments).env_clear().env("HOME", &home).env("TOOLWRIT_DATA_DIR", &home);
        command.env("LEDGER_FOLDER", self.machine.folder("ledger"));
        command
    }

    /// The home of a replica, which has nothing in common with those of the others.
    pub fn home(&self, replica: usize) -> PathBuf {
        self.machine.folder(NAMES[replica])
    }

    /// Sets the flags of replicas that begin from now on.
    pub fn set_flags(&mut self, flags: &[&str]) {
        self.flags = flags.iter().map(|&flag| flag.to_owned()).collect();
    }

    /// Ends a replica without a warning.
    pub fn kill(&mut self, replica: usize) {
        self.replicas[replica].take().unwrap().end();
    }

    /// Sends a signal to a replica.
    pub fn send(&self, replica: usize, signal: Signal) {
        send(signal, &self.server(replica).child);
    }

    /// Ends a replica in order, and returns what it said.
    pub fn stop(&mut self, replica: usize) -> String {
        self.replicas[replica].take().unwrap().stop()
    }

    pub fn server(&self, replica: usize) -> &Server {
        self.replicas[replica].as_ref().unwrap()
    }

    /// A client of a replica, which need not run.
    pub fn caller(&self, replica: usize) -> Caller {
        Caller::of(addresses(&self.machine)[replica])
    }

    /// Clients of all replicas.
    pub fn callers(&self) -> [Caller; 3] {
        [0, 1, 2].map(|replica| self.caller(replica))
    }

    /// A client of the balancer.
    pub fn balanced(&self) -> Caller {
        Caller::of(self.balancer.address)
    }

    /// Waits until the balancer uses every replica.
    pub fn in_use(&self) {
        until("every replica behind the balancer", || {
            NAMES.iter().all(|name| self.balancer.uses(name))
        });
    }

    /// Waits until each replica knows that there are three.
    pub fn know_each_other(&self) {
        until("that each replica knows of the others", || {
            let metrics = |replica| self.server(replica).get("/metrics", &[]).body;
            (0..3).all(|replica| metrics(replica).contains("toolwrit_replicas 3\n"))
        });
    }

    /// The lines of the ledger, in the order in which they were written.
    pub fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.machine.folder("ledger").join("lines"));
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

/// A ledger with a file of its own, as one process has it.
pub struct Lone {
    /// The process.
    pub server: Server,
    _home: Home,
}

impl Lone {
    /// Starts it with these flags.
    pub fn start(flags: &[&str]) -> Self {
        let home = Home::new();
        let folder = ["--surface", "flat", "--folder", home.path().to_str().unwrap()];
        let server = home.serve(ledger(), &[&folder[..], flags].concat());
        Self { server, _home: home }
    }

    /// A client of it.
    pub fn caller(&self) -> Caller {
        Caller::of(self.server.address().parse().unwrap())
    }
}

fn addresses(machine: &Machine) -> [SocketAddr; 3] {
    [0, 1, 2].map(|replica| machine.at(PORT + replica))
}
