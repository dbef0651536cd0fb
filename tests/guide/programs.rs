//! Runs the commands and calls of the guide.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::client::{CallResult, Client, Era, User};
use toolwrit_tests::program::{lab, toolwrit, workspace};

/// The home that the guide shows.
const SHOWN_HOME: &str = "/home/ada";
/// The confirmation token that the guide shows; the server makes a new one for each refusal.
const SHOWN_TOKEN: &str = "5496018426417448b44a";

/// What precedes the id of a defect, and the id that the guide shows.
const LOGGED: &str = "logged as ";
const SHOWN_ID: &str = "6740a1f2-0";

/// A user's home with the sample vault in the folder `Notes`.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = TempDir::new().unwrap();
        copy(&workspace().join("server/sample"), &home.path().join("Notes"));
        Self(home)
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.0.path().join("Notes")
    }

    /// Runs a command of a shell, and returns what it prints.
    pub(crate) fn run(&self, command: &str) -> String {
        let programs = toolwrit().parent().unwrap().to_str().unwrap();
        let system = std::env::var("PATH").unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1\n{command}")]).env_clear().stdin(Stdio::null());
        shell.env("PATH", format!("{programs}:{system}")).env("HOME", self.0.path());
        shell.env("TOOLWRIT_VAULT", self.vault()).env("COLUMNS", "110");
        let output = shell.current_dir(self.0.path()).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        printed.replace(self.0.path().to_str().unwrap(), SHOWN_HOME)
    }

    /// Runs the commands of a block in order, and returns the block with their output.
    pub(crate) fn session(&self, block: &str) -> String {
        let commands = block.lines().filter_map(|line| line.strip_prefix("$ "));
        let entry = |command: &str| {
            let printed = self.run(command);
            let printed = printed.trim_end();
            let end = if printed.is_empty() { "" } else { "\n" };
            format!("$ {command}\n{printed}{end}")
        };
        commands.map(entry).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (source, target) =
            (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
        }
    }
}

/// The answer to a tool call, written as `FLAGS JSON`.
pub(crate) fn called(directive: &str) -> Value {
    let (flags, call) = directive.split_at(directive.find('{').unwrap());
    let call: Value = serde_json::from_str(call).unwrap();
    let mut flags: Vec<&str> = flags.split_whitespace().collect();
    let is_lab = flags.first() == Some(&"lab");
    let home = Home::new();
    let vault = home.vault();
    let (program, own) = if is_lab {
        flags.remove(0);
        (lab(), vec!["serve"])
    } else {
        (toolwrit(), vec!["serve", "--vault", vault.to_str().unwrap()])
    };
    let mut client =
        Client::connect_for(User::Absent, program, &[own, flags].concat(), Era::Initialize);
    let mut answer = answer(&mut client, call);
    if is_lab {
        answer["error"]["operation"] = "..".into();
    }
    answer
}

/// Calls a tool, and returns its answer with the values that differ each time as the guide shows them.
fn answer(client: &mut Client, call: Value) -> Value {
    let mut answer = client.request("tools/call", call);
    let result = CallResult(answer["result"].take());
    let mut text = result.text().to_owned();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(token) = value["error"]["example"]["confirm"].as_str() {
        text = text.replace(token, SHOWN_TOKEN);
    }
    let logged = value["error"]["message"].as_str().and_then(|message| message.split_once(LOGGED));
    if let Some((_, id)) = logged {
        text = text.replace(id, &format!("{SHOWN_ID}."));
    }
    serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
}

/// Whether a surface of the vault server runs this tool call.
pub(crate) fn runs(call: &Value) -> bool {
    ["flat", "dispatch", "meta"].iter().any(|surface| {
        let home = Home::new();
        let vault = home.vault();
        let flags = ["--surface", surface];
        let mut client = Client::vault(&vault, &flags);
        let answer = client.request("tools/call", call.clone());
        answer["result"]["content"].is_array() && answer["result"]["isError"] != true
    })
}
