//! Three replicas of the ledger on one database.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;

use nix::sys::signal::Signal;
use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::waiting::until;

use crate::balancer::Balancer;
use crate::caller::Caller;
use crate::database::Database;
use crate::machine::{Machine, is_complete, send};

/// The names of the replicas.
pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];
/// Of the first replica; the others follow.
const PORT: u16 = 8081;

/// The replicas and what they share. All is stopped when it is dropped, the replicas first.
pub(crate) struct Cluster {
    program: &'static str,
    replicas: [Option<Server>; 3],
    flags: Vec<String>,
    pub(crate) balancer: Balancer,
    pub(crate) database: Database,
    machine: Machine,
}

impl Cluster {
    /// Starts replicas of the ledger with these flags; `None` if this machine lacks a program.
    pub(crate) fn start(flags: &[&str]) -> Option<Self> {
        Self::of(env!("CARGO_BIN_EXE_ledger"), flags)
    }

    /// Starts replicas of any program.
    pub(crate) fn of(program: &'static str, flags: &[&str]) -> Option<Self> {
        if !is_complete() {
            return None;
        }
        let machine = Machine::new();
        let database = Database::start(&machine);
        let balancer = Balancer::start(&machine, addresses(&machine));
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        let replicas = [None, None, None];
        let mut cluster = Self { program, replicas, flags, balancer, database, machine };
        for replica in 0..NAMES.len() {
            cluster.begin(replica);
        }
        Some(cluster)
    }

    /// Starts a replica, and waits until it should get requests.
    pub(crate) fn begin(&mut self, replica: usize) {
        self.begin_in(&[], replica);
    }

    /// Starts a replica with these variables in its environment.
    pub(crate) fn begin_in(&mut self, environment: &[(&str, &str)], replica: usize) {
        let mut command = Command::new(self.program);
        let own = self.machine.folder(NAMES[replica]);
        let address = addresses(&self.machine)[replica].to_string();
        command.args(["serve", "--surface", "flat", "--http", &address]).args(&self.flags);
        command.args(["--state", &self.database.url()]);
        command.args(["--location", "ledger", "--replica", NAMES[replica]]);
        command.env_clear().env("HOME", &own).env("TOOLWRIT_DATA_DIR", &own);
        command.env("LEDGER_FOLDER", self.machine.folder("ledger"));
        command.envs(environment.iter().copied());
        let server = Server::start(command);
        until("a ready replica", || server.get("/readyz", &[]).status == 200);
        self.replicas[replica] = Some(server);
    }

    /// Ends a replica without a warning.
    pub(crate) fn kill(&mut self, replica: usize) {
        self.replicas[replica].take().unwrap().end();
    }

    /// Sends a signal to a replica.
    pub(crate) fn send(&self, replica: usize, signal: Signal) {
        send(signal, &self.server(replica).child);
    }

    /// Ends a replica in order, and returns what it said.
    pub(crate) fn stop(&mut self, replica: usize) -> String {
        self.replicas[replica].take().unwrap().stop()
    }

    pub(crate) fn server(&self, replica: usize) -> &Server {
        self.replicas[replica].as_ref().unwrap()
    }

    /// A client of a replica, which need not run.
    pub(crate) fn caller(&self, replica: usize) -> Caller {
        Caller::of(addresses(&self.machine)[replica])
    }

    /// Clients of all replicas.
    pub(crate) fn callers(&self) -> [Caller; 3] {
        [0, 1, 2].map(|replica| self.caller(replica))
    }

    /// A client of the balancer.
    pub(crate) fn balanced(&self) -> Caller {
        Caller::of(self.balancer.address)
    }

    /// Waits until the balancer uses every replica.
    pub(crate) fn in_use(&self) {
        until("every replica behind the balancer", || {
            NAMES.iter().all(|name| self.balancer.uses(name))
        });
    }

    /// The lines of the ledger, in the order in which they were written.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.machine.folder("ledger").join("lines"));
        text.unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

fn addresses(machine: &Machine) -> [SocketAddr; 3] {
    [0, 1, 2].map(|replica| machine.at(PORT + replica))
}
