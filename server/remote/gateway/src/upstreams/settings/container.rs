//! The key `container`: a program that runs in a container, without the files and the network of this machine.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;
use toolwrit_core::folders;
use toolwrit_upstreams::model::Command;

const KEYS: [&str; 5] = ["image", "memory", "mounts", "network", "runtime"];
/// The label that says which process has started a container.
const OWNER: &str = "toolwrit.owner";
/// How long the runtime may take to list or remove containers.
const SWEEP: Duration = Duration::from_secs(5);

/// A container in which a program runs.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    /// The program that runs containers.
    runtime: String,
    image: String,
    network: String,
    mounts: Vec<String>,
    memory: String,
}

impl Container {
    /// Reads the key.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn parse(value: &Value) -> Result<Self, String> {
        let none = serde_json::Map::new();
        let (image, table) = match value {
            Value::String(image) => (Some(image.as_str()), &none),
            Value::Object(table) => (table.get("image").and_then(Value::as_str), table),
            _ => (None, &none),
        };
        if let Some(unknown) = table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("unknown key `{unknown}`; expected one of: {}", KEYS.join(", ")));
        }
        let image = image
            .filter(|image| is_word(image))
            .ok_or("expected an image, such as \"mcp/fetch\"")?;
        let text = |key: &str, otherwise: &str| match table.get(key) {
            None => Ok(otherwise.to_owned()),
            Some(Value::String(text)) if is_word(text) => Ok(text.clone()),
            Some(_) => Err(format!("`{key}`: expected a text without white space")),
        };
        let mounts = match table.get("mounts") {
            None => Vec::new(),
            Some(Value::Array(mounts)) => mounts.iter().map(mount).collect::<Result<_, _>>()?,
            Some(_) => return Err(MOUNTS.to_owned()),
        };
        let memory = text("memory", "512m")?;
        let digits = memory.trim_end_matches(|c: char| "bkmgBKMG".contains(c));
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("`memory`: expected a size such as 512m".to_owned());
        }
        let network = text("network", "none")?;
        let runtime = text("runtime", usual_runtime())?;
        Ok(Self { runtime, image: image.to_owned(), network, mounts, memory })
    }

    /// The program and its arguments, as far as an approval is for them. `words` are run in the container.
    pub(super) fn words(&self, words: Vec<String>) -> Vec<String> {
        let begin = [self.runtime.clone(), "run".to_owned()];
        begin.into_iter().chain(self.options()).chain(words).collect()
    }

    /// The options that say how isolated the container is, and the image.
    fn options(&self) -> impl Iterator<Item = String> {
        let isolated = [
            "--rm",
            "-i",
            "--init",
            "--read-only",
            "--tmpfs",
            "/tmp",
            "--cap-drop",
            "ALL",
            "--security-opt",
            "no-new-privileges",
            "--pids-limit",
            "256",
            "--memory",
            &self.memory,
            "--network",
            &self.network,
        ];
        let isolated: Vec<String> = isolated.map(str::to_owned).to_vec();
        let mounts = self.mounts.iter().flat_map(|mount| ["-v".to_owned(), mount.clone()]);
        let mounts: Vec<String> = mounts.collect();
        isolated.into_iter().chain(mounts).chain([self.image.clone()])
    }

    /// Gives a command a name, by which the container ends when its client does not end it, and passes the variables of the
    /// command on. Removes containers of processes that have ended.
    pub(super) async fn prepare(
        &self,
        configuration: &Path,
        upstream: &str,
        command: &mut Command,
    ) {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let owners = owners(configuration, upstream);
        self.sweep(&owners).await;
        let process = std::process::id();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolwrit-{upstream}-{process}-{number}");
        let named = [
            "--name".to_owned(),
            name.clone(),
            "--label".to_owned(),
            format!("{OWNER}={owners}-{process}"),
        ];
        let variables = command.environment.keys().flat_map(|name| ["-e".to_owned(), name.clone()]);
        let more: Vec<String> = named.into_iter().chain(variables).collect();
        // After `run`.
        command.arguments.splice(1..1, more);
        let remove = [self.runtime.as_str(), "rm", "-f", &name];
        command.cleanup = Some(remove.map(str::to_owned).to_vec());
    }

    /// Removes the containers of processes that were killed together with what should have removed them.
    async fn sweep(&self, owners: &str) {
        let filter = format!("label={OWNER}");
        let format = format!("{{{{.ID}}}} {{{{.Label \"{OWNER}\"}}}}");
        let listed = self.run(&["ps", "-a", "--filter", &filter, "--format", &format]).await;
        let ended = listed.lines().filter_map(|line| {
            let (id, owner) = line.split_once(' ')?;
            let process = owner.trim().strip_prefix(owners)?.strip_prefix('-')?;
            has_ended(process).then(|| id.to_owned())
        });
        for id in ended.collect::<Vec<_>>() {
            self.run(&["rm", "-f", &id]).await;
        }
    }

    /// Runs the runtime. Returns what it prints; nothing if it fails, which its next command tells.
    async fn run(&self, arguments: &[&str]) -> String {
        let mut command = tokio::process::Command::new(&self.runtime);
        command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        let output = timeout(SWEEP, command.output()).await.ok().and_then(Result::ok);
        output
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default()
    }
}

const MOUNTS: &str = "`mounts`: expected a list such as [\"/notes:/notes:ro\"]";

fn mount(value: &Value) -> Result<String, String> {
    let text = value.as_str().filter(|text| text.contains(':') && !text.starts_with('-'));
    let text = text.ok_or(MOUNTS)?;
    // No shell replaces it.
    Ok(match (text.strip_prefix("~/"), folders::home()) {
        (Some(rest), Some(home)) => home.join(rest).to_string_lossy().into_owned(),
        _ => text.to_owned(),
    })
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace)
}

/// `docker`, or `podman` if only that is installed.
fn usual_runtime() -> &'static str {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has = |name: &str| std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !has("docker") && has("podman") { "podman" } else { "docker" }
}

/// What the owners of the containers of an upstream begin with.
fn owners(configuration: &Path, upstream: &str) -> String {
    let path = configuration.canonicalize().unwrap_or_else(|_| configuration.to_owned());
    let mut hasher = DefaultHasher::new();
    (path, upstream).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Whether a process has ended. Where that cannot be told, it counts as running.
fn has_ended(process: &str) -> bool {
    let processes = Path::new("/proc");
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number && processes.join("self").exists() && !processes.join(process).exists()
}
