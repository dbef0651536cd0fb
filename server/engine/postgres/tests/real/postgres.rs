//! A `PostgreSQL` of a test, with its files below the folder for temporary files.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tokio_postgres::NoTls;
use toolwrit_postgres::{Address, Settings};
use toolwrit_requirement::{Need, met};

/// How long it may take to start, also while it recovers.
const STARTS_WITHIN: Duration = Duration::from_mins(1);
const INSTALL: &str = "apt-get install postgresql pgbouncer";
pub(crate) const POOLER: &str = "/usr/sbin/pgbouncer";

/// A running server. It ends with this value.
pub(crate) struct Postgres {
    start: Start,
    folder: TempDir,
    server: Child,
}

/// How it is started.
struct Start {
    programs: PathBuf,
    settings: Vec<String>,
    port: u16,
}

/// The newest installed programs.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(Result::ok);
    let number = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.map(|entry| entry.path()).max_by_key(|path| number(path));
    Some(newest?.join("bin")).filter(|programs| programs.join("initdb").exists())
}

/// A port that is free now, below those that the system gives away.
pub(crate) fn free_port() -> u16 {
    loop {
        let port = fastrand::u16(15_000..32_000);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A command that does not run as root, which the programs refuse.
pub(crate) fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new(program);
    if rustix::process::geteuid().is_root() {
        let id = |flag| {
            let id = Command::new("id").args([flag, "postgres"]).output().unwrap();
            String::from_utf8(id.stdout).unwrap().trim().parse::<u32>().unwrap()
        };
        command.uid(id("-u")).gid(id("-g"));
    }
    command.current_dir("/").env("LC_ALL", "C.UTF-8");
    command
}

/// Lets the unprivileged user use a file or folder.
pub(crate) fn give_away(path: &Path, mode: u32) {
    if rustix::process::geteuid().is_root() {
        let given = Command::new("chown").arg("postgres").arg(path).status().unwrap();
        assert!(given.success());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

impl Postgres {
    /// Starts one; `None` if it is not installed, and the test is skipped.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[], |_| {})
    }

    /// Starts one with these settings, after its folder of data was prepared.
    pub(crate) fn start_with(settings: &[&str], prepare: impl FnOnce(&Path)) -> Option<Self> {
        let programs = programs();
        let initdb =
            programs.as_deref().unwrap_or(Path::new("/usr/lib/postgresql/15/bin")).join("initdb");
        if !met(&[Need::File(&initdb), Need::File(Path::new(POOLER))], INSTALL) {
            return None;
        }
        let programs = programs.unwrap();
        let folder = TempDir::with_prefix("toolwrit-postgres-").unwrap();
        give_away(folder.path(), 0o700);
        let made = unprivileged(&initdb)
            .args([
                "--username=tw",
                "--auth=trust",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
                "-D",
            ])
            .arg(folder.path().join("data"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        prepare(&folder.path().join("data"));
        let port = free_port();
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        let start = Start { programs, settings, port };
        let server = start.serve(folder.path()).unwrap();
        Some(Self { start, folder, server })
    }

    /// Kills it, as if it had crashed, and starts it again.
    pub(crate) fn crash(&mut self) {
        self.kill();
        self.restart();
    }

    /// Kills it, as if it had crashed.
    pub(crate) fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// Starts it again. Its orphans must have left first.
    pub(crate) fn restart(&mut self) {
        let start = Instant::now();
        self.server = loop {
            match self.start.serve(self.folder.path()) {
                Ok(server) => break server,
                Err(log) => assert!(start.elapsed() < STARTS_WITHIN, "{log}"),
            }
        };
    }

    /// Halts it, as if the machine hung, or lets it go on.
    pub(crate) fn signal_all(&self, signal: Signal) {
        let children = format!("/proc/{0}/task/{0}/children", self.server.id());
        // It may have been killed.
        let children = fs::read_to_string(children).unwrap_or_default();
        let children = children.split_whitespace().map(|id| id.parse::<i32>().unwrap());
        for id in children.chain([self.server.id().cast_signed()]) {
            // A backend may have ended meanwhile.
            let _ = kill_process(Pid::from_raw(id).unwrap(), signal);
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.start.port
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://tw@127.0.0.1:{}/postgres", self.start.port)
    }

    pub(crate) fn settings(&self) -> Settings {
        let mut settings = Settings::new(Address::parse(&self.url()).unwrap());
        "test".clone_into(&mut settings.replica);
        settings
    }

    /// A connection of the test's own.
    pub(crate) async fn connect(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.signal_all(Signal::CONT);
        // An immediate shutdown, which ends its children, too.
        let id = Pid::from_raw(self.server.id().cast_signed()).unwrap();
        if kill_process(id, Signal::QUIT).is_ok() {
            let _ = self.server.wait();
        }
    }
}

impl Start {
    /// Starts the server, and waits until it accepts connections. An error is its log.
    fn serve(&self, folder: &Path) -> Result<Child, String> {
        let mut server = unprivileged(&self.programs.join("postgres"))
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "max_connections=200",
                "-c",
                "shared_buffers=32MB",
            ])
            .args(self.settings.iter().flat_map(|setting| ["-c", setting]))
            .arg("-k")
            .arg(folder)
            .arg("-p")
            .arg(self.port.to_string())
            .arg("-D")
            .arg(folder.join("data"))
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
        let mut log = String::new();
        for line in lines.by_ref() {
            let line = line.unwrap();
            log = log + &line + "\n";
            if line.contains("database system is ready to accept connections") {
                // What it says later must not fill the pipe.
                std::thread::spawn(move || lines.count());
                return Ok(server);
            }
        }
        server.wait().unwrap();
        Err(log)
    }
}
