//! A vault with a note `Audit.md`, the configuration of a model, and the state of the user.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::program::toolwrit;
use toolwrit_tests::servers::model::{Model, Response};
use toolwrit_tests::vaults;

pub(crate) const AUDIT: &str = "---\nstatus: open\n---\n# Audit\n\nThe audit is due in May.\n";

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Desk {
    vault: TempDir,
    home: TempDir,
    pub(crate) model: Model,
}

/// What a command did.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The result of a command with `--json`.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{}{}", self.out, self.err))
    }
}

impl Desk {
    pub(crate) fn new(responses: impl IntoIterator<Item = Response>) -> Self {
        Self::with("", responses)
    }

    /// With a table `[chat]` of this content.
    pub(crate) fn with(chat: &str, responses: impl IntoIterator<Item = Response>) -> Self {
        let (vault, home) = (vaults::empty(), TempDir::new().unwrap());
        let model = Model::new(responses);
        let config = format!(
            "[models.writer]\ndialect = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\n\n[chat]\n{chat}\n",
            model.base
        );
        let desk = Self { vault, home, model };
        desk.configure(&config);
        desk.write("Audit.md", AUDIT);
        desk
    }

    pub(crate) fn vault(&self) -> &Path {
        self.vault.path()
    }

    pub(crate) fn path(&self, note: &str) -> PathBuf {
        self.vault.path().join(note)
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.home.path().join("config.toml")
    }

    pub(crate) fn configure(&self, config: &str) {
        fs::write(self.config(), config).unwrap();
    }

    pub(crate) fn write(&self, note: &str, text: &str) {
        fs::write(self.path(note), text).unwrap();
    }

    pub(crate) fn text(&self, note: &str) -> String {
        fs::read_to_string(self.path(note)).unwrap()
    }

    /// A command, whose standard input is no terminal.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolwrit());
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.environment(&mut command);
        command
    }

    pub(crate) fn environment(&self, command: &mut Command) {
        for variable in ["TOOLWRIT_OBSIDIAN_API_KEY", "TOOLWRIT_FOCUS", "TOOLWRIT_ROLE"] {
            command.env_remove(variable);
        }
        command
            .env("TOOLWRIT_CONFIG", self.config())
            .env("TOOLWRIT_VAULT", self.vault())
            .env("TOOLWRIT_DATA_DIR", self.home.path())
            .env("XDG_CACHE_HOME", self.home.path());
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        Done::of(self.command(arguments).output().unwrap())
    }

    /// `chat Chat.md` with further arguments.
    pub(crate) fn chat(&self, arguments: &[&str]) -> Done {
        self.run(&[&["chat", "Chat.md"], arguments].concat())
    }
}

/// A note with the ids of its blocks as numbers in their order, and without times.
pub(crate) fn stable(text: &str) -> String {
    let mut ids: Vec<String> = Vec::new();
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        if let Some(at) = line.find('|').filter(|_| line.starts_with("> [!")) {
            let id = line[at + 1..at + 10].to_owned();
            ids.push(id.clone());
            line = line.replace(&id, &ids.len().to_string());
            if let Some((before, _)) = line.split_once(", ") {
                line = before.to_owned();
            }
        }
        out.push_str(&line);
        out.push('\n');
    }
    for (number, id) in ids.iter().enumerate() {
        out = out.replace(id, &(number + 1).to_string());
    }
    out
}
