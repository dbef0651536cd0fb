//! A WordPress on a free port of this machine, for as long as the tests run.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::requirement::{Need, met};

const INSTALL: &str = "server/apis/wordpress/tests/install";
/// How long PHP may take until it listens.
const PATIENCE: Duration = Duration::from_mins(1);

/// Ends PHP and its workers when the standard input ends, which it does at the latest with the test program.
const SUPERVISED: &str = r#"php -S "$1" -t . router.php >server.log 2>&1 & read -r _; kill 0"#;

/// A site with the users `admin`, `anna`, `ben` and `carl`.
pub(crate) struct WordPress {
    /// The address of the REST API.
    pub(crate) api: String,
    /// An application password of each user.
    passwords: Value,
    _input: ChildStdin,
    _server: Child,
    _folder: TempDir,
}

impl WordPress {
    /// The site that all tests share; `None` if PHP or WordPress is not installed.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<WordPress> = OnceLock::new();
        let site = folder().join("wordpress");
        let needs = [Need::Program(Path::new("php"), (8, 0)), Need::File(&site)];
        met(&needs, INSTALL).then(|| SHARED.get_or_init(|| Self::start(&site)))
    }

    fn start(site: &Path) -> Self {
        let root = TempDir::new().unwrap();
        copy(site, root.path()).unwrap();
        prepare(root.path()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("http://127.0.0.1:{port}");
        let installed = Command::new("php")
            .arg("install.php")
            .current_dir(root.path())
            .env("WP_ADDRESS", &address)
            .output()
            .unwrap();
        let passwords = serde_json::from_slice(&installed.stdout)
            .unwrap_or_else(|error| panic!("{error}: {installed:?}"));
        let mut command = Command::new("sh");
        command.args(["-c", SUPERVISED, "sh", &format!("127.0.0.1:{port}")]);
        command.current_dir(root.path()).env("WP_ADDRESS", &address);
        command.env("PHP_CLI_SERVER_WORKERS", "4").process_group(0);
        let mut server = command.stdin(Stdio::piped()).spawn().unwrap();
        let input = server.stdin.take().unwrap();
        wait_for(port, root.path());
        let api = format!("{address}/wp-json");
        Self { api, passwords, _input: input, _server: server, _folder: root }
    }

    /// An application password of a user.
    pub(crate) fn password(&self, user: &str) -> &str {
        self.passwords[user].as_str().unwrap()
    }
}

/// The folder of these tests.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/site")
}

/// Adds the configuration, the database, the companion plugin, and a directory of plugins.
fn prepare(root: &Path) -> io::Result<()> {
    for name in ["wp-config.php", "install.php", "router.php"] {
        fs::copy(folder().join("php").join(name), root.join(name))?;
    }
    let content = root.join("wp-content");
    for name in ["database", "uploads", "mu-plugins"] {
        fs::create_dir_all(content.join(name))?;
    }
    let companion = "companion/toolwrit-companion.php";
    fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join(companion),
        content.join("mu-plugins/toolwrit-companion.php"),
    )?;
    fs::copy(folder().join("php/directory.php"), content.join("mu-plugins/directory.php"))?;
    let plugin = content.join("plugins/plugin-sqlite-database-integration");
    let text = fs::read_to_string(plugin.join("db.copy"))?
        .replace("{SQLITE_IMPLEMENTATION_FOLDER_PATH}", &plugin.display().to_string())
        .replace("{SQLITE_PLUGIN}", "plugin-sqlite-database-integration/load.php");
    fs::write(content.join("db.php"), text)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (from, to) = (entry.as_ref().map(fs::DirEntry::path), to);
        let from = from.map_err(|error| io::Error::other(error.to_string()))?;
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Waits until PHP listens.
fn wait_for(port: u16, root: &Path) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if start.elapsed() > PATIENCE {
            let log = fs::File::open(root.join("server.log")).map(BufReader::new);
            let log: Vec<String> =
                log.map(|log| log.lines().map_while(Result::ok).collect()).unwrap();
            panic!("PHP does not listen: {log:?}");
        }
        thread::yield_now();
    }
}
