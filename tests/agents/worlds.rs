//! The servers that agents use, and what became of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value};
use tempfile::TempDir;
use toolwrit_test_servers::http::HttpServer;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::files::copy_folder;
use toolwrit_tests::program::{toolwrit, workspace};

use super::site::site;
use super::tasks::{Done, World};

/// The servers whose lists those behind the gateway have.
const UPSTREAMS: [&str; 5] = ["filesystem", "git", "memory", "slack", "time"];

/// How the operations are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Flat,
    Dispatch,
    Meta,
    /// Meta, with the most usual operations as tools of their own.
    Pinned,
}

impl Surface {
    pub(crate) const ALL: [Self; 4] = [Self::Flat, Self::Dispatch, Self::Meta, Self::Pinned];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Dispatch => "dispatch",
            Self::Meta => "meta",
            Self::Pinned => "meta with pins",
        }
    }

    fn flags(self, world: World) -> Vec<String> {
        let surface = match self {
            Self::Flat => "flat",
            Self::Dispatch => "dispatch",
            Self::Meta | Self::Pinned => "meta",
        };
        let pins = match world {
            World::Vault => "vault.read,vault.search,vault.append",
            World::Site => "content.list_posts,content.get_post,comments.list_comments",
            World::Gateway => "filesystem.read_text_file,git.git_status,time.get_current_time",
        };
        let mut flags = vec!["--surface", surface];
        if self == Self::Pinned {
            flags.extend(["--pin", pins]);
        }
        flags.into_iter().map(str::to_owned).collect()
    }
}

/// A server with what it works on.
pub(crate) struct Served {
    pub(crate) client: Client,
    /// What a model is told at the beginning of a conversation: the tools.
    pub(crate) tools: Vec<Value>,
    folder: TempDir,
    site: Option<HttpServer>,
}

impl Served {
    pub(crate) fn start(world: World, surface: Surface) -> Self {
        let folder = TempDir::new().unwrap();
        let site = (world == World::Site).then(site);
        let mut command = match world {
            World::Vault => vault(folder.path()),
            World::Site => wordpress(folder.path(), site.as_ref().unwrap()),
            World::Gateway => gateway(folder.path()),
        };
        command.args(surface.flags(world)).stderr(Stdio::piped());
        let (mut client, mut errors) = Client::of(command, Era::Initialize);
        // Otherwise a server that logs much would wait.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        let tools = client.tools();
        Self { client, tools, folder, site }
    }

    /// Whether a task is done. `said` is the answer.
    pub(crate) fn is_done(&self, done: &Done, said: &str) -> bool {
        match done {
            Done::Says { says } => said.contains(says),
            Done::Note { note, has } => {
                let text = fs::read_to_string(self.folder.path().join("Notes").join(note));
                text.is_ok_and(|text| text.to_lowercase().contains(&has.to_lowercase()))
            }
            Done::Called { called, with } => {
                let calls = fs::read_to_string(calls(self.folder.path())).unwrap_or_default();
                let mut calls =
                    calls.lines().map(|call| serde_json::from_str::<Value>(call).unwrap());
                calls.any(|call| call["called"] == *called && has_all(&call["with"], with))
            }
            Done::Sent { sent, with } => {
                let requests = self.site.iter().flat_map(HttpServer::requests).collect::<Vec<_>>();
                let wanted = sent.replacen(' ', " /wp-json", 1);
                let mut requests = requests.iter().filter(|request| request.line() == wanted);
                requests.any(|request| has_all(&request.json(), with))
            }
        }
    }
}

fn has_all(given: &Value, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(name, value)| given[name] == *value)
}

fn calls(folder: &Path) -> PathBuf {
    folder.join("calls.jsonl")
}

/// A program that knows nothing of the user who runs the test.
fn program(path: &Path, folder: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().env("HOME", folder).env("TOOLWRIT_DATA_DIR", folder.join("data"));
    command
}

fn vault(folder: &Path) -> Command {
    let vault = folder.join("Notes");
    copy_folder(&workspace().join("server/sample"), &vault);
    let mut command = program(toolwrit(), folder);
    command.args(["serve", "--vault"]).arg(vault);
    command
}

fn wordpress(folder: &Path, site: &HttpServer) -> Command {
    let config = folder.join("config.toml");
    let url = site.url("/wp-json");
    let text = format!(
        "[providers.wordpress]\nurl = {url:?}\nuser = \"anna\"\npassword = {{ env = \"PASSWORD\" }}\nnetworks = [\"127.0.0.0/8\"]\n"
    );
    fs::write(&config, text).unwrap();
    let mut command = program(&toolwrit().with_file_name("wpnav"), folder);
    command.arg("serve").arg("--config").arg(config);
    command.env("PASSWORD", "secret").env("WPNAV_ENABLE_WRITES", "1");
    command
}

fn gateway(folder: &Path) -> Command {
    let config = folder.join("config.toml");
    let table = |name: &&str| {
        let list = workspace().join(format!("tests/upstreams/lists/{name}.json"));
        let program = toolwrit().with_file_name("stand-in");
        let words = [&program, &list, Path::new(name), &calls(folder)];
        format!("[upstreams.{name}]\ncommand = {words:?}\ntrust_annotations = true\n")
    };
    fs::write(&config, UPSTREAMS.iter().map(table).collect::<String>()).unwrap();
    for name in UPSTREAMS {
        let mut approve = program(toolwrit(), folder);
        approve.args(["upstream", "approve", name, "--yes", "--config"]).arg(&config);
        let done = approve.output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    let mut command = program(toolwrit(), folder);
    command.arg("serve").arg("--config").arg(config);
    command
}
