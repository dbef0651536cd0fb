//! Runs the commands and calls of the guide.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_test_servers::http::HttpServer;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::files::{copy_folder, put};
use toolwrit_tests::program::{lab, toolwrit, workspace};
use toolwrit_tests::servers::model::{Model, Response};
use toolwrit_tests::vaults;
use toolwrit_tests::waiting::{found, until};

use crate::guide::blocks::same_lines;
use crate::guide::stand_ins;

/// The home that the guide shows.
const SHOWN_HOME: &str = "/home/ada";
/// The address of the servers that the guide starts. They listen on a free port.
const SHOWN_ADDRESS: &str = "127.0.0.1:8080";
const FREE_ADDRESS: &str = "127.0.0.1:0";

/// The configuration in the home.
const CONFIG: &str = ".config/toolwrit-vault/config.toml";

/// A file that stands for one that the guide names and does not show.
const ANY_MANIFEST: &str = "toolwrit: 1\nserver: { name: any }\ncategories: { any: { summary: Any. } }\noperations:\n  \
    any.thing: { summary: Any thing., effect: read }\n";
/// The confirmation token that the guide shows; the server makes a new one for each refusal.
const SHOWN_TOKEN: &str = "5496018426417448b44a";

/// The time and the id of a request that the guide shows.
const SHOWN_TIME: &str = "2026-11-22T09:30:00.000Z";
const SHOWN_REQUEST: &str = "6c1f0b0f5a0d4a5b9a0b7f3f3a1f2e4d";

/// What a search says while its index is built.
const BUILDING: &str = "index of meanings is being built";

/// What precedes the id of a defect, and the id that the guide shows.
const LOGGED: &str = "logged as ";
const SHOWN_ID: &str = "6740a1f2-0";
/// The id by which a change is undone, as the guide shows it.
const SHOWN_UNDO: &str = "20260309T101500000-3f9a21";

/// The site that the guide shows.
const SHOWN_SITE: &str = "https://lighthouse.example";

/// A user's home with the sample vault in the folder `Notes`.
pub(crate) struct Home {
    folder: TempDir,
    /// Servers that commands have started. They run as long as the home exists.
    servers: RefCell<Vec<Server>>,
    /// Stand-ins for programs of others, which run as long as the home, too.
    stand_ins: RefCell<Vec<HttpServer>>,
    models: RefCell<Vec<Model>>,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        copy_folder(&workspace().join("server/sample"), &folder.path().join("Notes"));
        let (servers, stand_ins, models) = Default::default();
        Self { folder, servers, stand_ins, models }
    }

    /// A home with files that a page shows, each with its path.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let home = Self::new();
        for (path, text) in files {
            home.write(path, text);
        }
        home
    }

    fn write(&self, path: &str, text: &str) {
        put(&self.folder.path().join(path), text);
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.folder.path().join("Notes")
    }

    /// Installs plugins of Obsidian in the vault, and opens a note there.
    fn with_obsidian(&self) {
        vaults::switch_on_plugins(&self.vault());
        let open = self.vault().join(".obsidian/workspace.json");
        fs::write(open, r#"{"lastOpenFiles": ["Inbox.md"]}"#).unwrap();
    }

    /// A client of a server that makes the sample vault in the user's data folder.
    fn without_vault(&self, flags: &[&str]) -> Client {
        let mut command = Command::new(toolwrit());
        command.args(["serve", "--sample"]).args(flags).env_clear().env("HOME", self.folder.path());
        command.current_dir(self.folder.path()).stderr(Stdio::piped());
        Client::of(command, Era::Initialize).0
    }

    /// A client of a server on the vault, as the words before a call ask.
    fn client(&self, is: &impl Fn(&str) -> bool, flags: &[&str]) -> Client {
        let (mut own, mut environment) = (Vec::new(), Vec::new());
        let obsidian = stand_ins::obsidian();
        let (obsidian_url, config) = (obsidian.url(""), self.folder.path().join(CONFIG));
        self.stand_ins.borrow_mut().push(obsidian);
        if is("obsidian") {
            self.with_obsidian();
            own.extend(["--obsidian-url", &obsidian_url]);
            environment.push(("TOOLWRIT_OBSIDIAN_API_KEY", "key"));
        }
        if is("model") {
            self.with_model();
            own.extend(["--config", config.to_str().unwrap()]);
        }
        if is("web") {
            own.extend(["--web-allow", "127.0.0.1"]);
        }
        let user = match (is("agreeing"), is("declining")) {
            (true, _) => User::Agrees,
            (_, true) => User::Declines,
            _ => User::Absent,
        };
        own.extend(flags);
        Client::vault_for(user, &environment, &self.vault(), &own)
    }

    /// Prepares the home for a block, as the comment before the block says.
    pub(crate) fn prepare(&self, setup: &str) {
        let Some(command) = setup.strip_prefix("$ ") else {
            return match setup {
                "model" => self.with_model(),
                "obsidian" => self.with_obsidian(),
                other => panic!("unknown preparation {other}"),
            };
        };
        let output = self.shell(command).output().unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
    }

    /// Configures a model that searches for a word, and then answers.
    fn with_model(&self) {
        let search = json!({ "query": "causeway", "limit": 1 });
        let responses = [
            Response::text("I'll look.").call("vault_search", search),
            Response::text("[[Causeway tides]] says when you may walk."),
        ];
        let model = Model::new(responses);
        let base = &model.base;
        let config = format!(
            "[models.writer]\ndialect = \"openai\"\nmodel = \"m\"\nbase_url = \"{base}\"\n"
        );
        self.write(CONFIG, &config);
        self.models.borrow_mut().push(model);
    }

    /// Runs a command of a shell, and returns what it prints: of a server on HTTP, until it listens.
    pub(crate) fn run(&self, command: &str) -> String {
        if serves(command) {
            let command = format!("exec {}", command.replace(SHOWN_ADDRESS, FREE_ADDRESS));
            let server = Server::start(self.shell(&command));
            let printed = format!("listening on {}\n", server.url);
            let printed = printed.replace(server.address(), SHOWN_ADDRESS);
            self.servers.borrow_mut().push(server);
            return printed;
        }
        self.printed(command)
    }

    fn printed(&self, command: &str) -> String {
        let output = self.shell(&format!("exec 2>&1\n{command}")).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        show_fixed_undo(&printed.replace(self.folder.path().to_str().unwrap(), SHOWN_HOME))
    }

    fn shell(&self, command: &str) -> Command {
        let programs = toolwrit().parent().unwrap().to_str().unwrap();
        let system = std::env::var("PATH").unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).env_clear().stdin(Stdio::null());
        shell.env("PATH", format!("{programs}:{system}")).env("HOME", self.folder.path());
        shell.env("TOOLWRIT_VAULT", self.vault()).env("COLUMNS", "110");
        shell.current_dir(self.folder.path());
        shell
    }

    /// What the program says to a command that is not run, if it does not understand the command.
    pub(crate) fn misunderstood(&self, command: &str) -> Option<String> {
        // Help is printed only if what stands before it is understood. After `--command` stands a command of another
        // program.
        let (mut own, _) = command.split_once(" --command ").unwrap_or((command, ""));
        if self.lacks(own, "--manifest", ANY_MANIFEST) {
            // The operations of a manifest that is not shown are not known.
            own = own.split_inclusive(" call ").next().unwrap_or(own);
        }
        self.lacks(own, "--config", "");
        let printed = self.printed(&format!("{own} --help"));
        let is_understood = printed.contains("Usage: ") && !printed.starts_with("error");
        (!is_understood).then_some(printed)
    }

    /// Whether the page does not show the file of a flag. Then this text stands for it.
    fn lacks(&self, command: &str, flag: &str, text: &str) -> bool {
        let mut words = command.split_whitespace().skip_while(|word| *word != flag).skip(1);
        let Some(file) = words.next() else { return false };
        if !self.folder.path().join(file).exists() {
            self.write(file, text);
        }
        fs::read_to_string(self.folder.path().join(file)).unwrap() == text
    }

    /// Runs the commands of a block in order, and returns the block with the output of those that print something else
    /// than it shows.
    pub(crate) fn session(&self, block: &str) -> String {
        let mut entries: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ "), entries.last_mut()) {
                (Some(command), _) => entries.push((command, Vec::new())),
                (None, Some((_, shown))) => shown.push(line),
                (None, None) => panic!("output without a command: {line}"),
            }
        }
        let entry = |(command, shown): (&str, Vec<&str>)| {
            let (shown, printed) = (shown.join("\n"), self.run(command));
            let printed = printed.trim_end();
            let output = if same_lines(&shown, printed) { &shown } else { printed };
            let end = if output.is_empty() { "" } else { "\n" };
            format!("$ {command}\n{output}{end}")
        };
        entries.into_iter().map(entry).collect()
    }
}

/// Whether a command serves on HTTP until it is stopped.
fn serves(command: &str) -> bool {
    let is_server = command.starts_with("toolwrit serve ") && command.contains(" --http ");
    is_server
        || ["toolwrit docs serve", "toolwrit browse"].iter().any(|own| command.starts_with(own))
}

/// The answer to the last of some tool calls, written as `WORDS FLAGS JSON..`.
pub(crate) fn called(directive: &str) -> Value {
    let (flags, calls) = directive.split_at(directive.find('{').unwrap());
    let (words, flags): (Vec<&str>, Vec<&str>) = {
        let all: Vec<&str> = flags.split_whitespace().collect();
        let words = all.iter().take_while(|word| !word.starts_with("--")).count();
        (all[..words].to_vec(), all[words..].to_vec())
    };
    let is = |word: &str| words.contains(&word);
    let home = Home::new();
    let web = is("web").then(stand_ins::site);
    let site = web.as_ref().map_or(SHOWN_SITE.to_owned(), |web| web.url(""));
    let mut client = match () {
        () if is("lab") => {
            Client::connect(lab(), &[&["serve"], &flags[..]].concat(), Era::Initialize)
        }
        () if is("sample") => home.without_vault(&flags),
        () => home.client(&is, &flags),
    };
    let calls = calls.replace(SHOWN_SITE, &site);
    let calls = serde_json::Deserializer::from_str(&calls).into_iter();
    let mut answer = calls.map(|call| answer(&mut client, &call.unwrap())).last().unwrap();
    if is("web") {
        let shown = answer.to_string().replace(&site, SHOWN_SITE);
        answer = serde_json::from_str(&shown).unwrap();
    }
    if is("lab") {
        answer["error"]["operation"] = "..".into();
    }
    answer
}

/// The answer to the last of some GET requests, with the values that differ each time as the guide shows them.
pub(crate) fn got(paths: &str) -> Value {
    let home = Home::new();
    let vault = home.vault();
    let state = toolwrit_tests::drivers::http::Home::new();
    let server = state.serve(toolwrit(), &["--vault", vault.to_str().unwrap()]);
    // The template of the vault becomes an operation soon after the start.
    let named = json!({"tools": ["plugin.templater.execute:Daily-note"]});
    until("the operation of the template", || {
        server.client("/meta").call("describe_tools", &named).text().contains("Create a note")
    });
    let answers = paths.split_whitespace().map(|path| server.get(path, &[]));
    let answers = answers.inspect(|answer| assert_eq!(answer.status, 200, "{answer:?}"));
    let answers = answers.map(|answer| answer.json());
    let mut answers: Vec<Value> = answers.collect();
    let mut answer = answers.pop().unwrap();
    show_fixed(&mut answer);
    answer
}

/// Checks that a server answers a `curl` of the guide to it.
pub(crate) fn answers(curl: &str) {
    let own = curl.split_once(&format!("http://{SHOWN_ADDRESS}"));
    if let Some((_, path)) = own {
        got(path.trim_end_matches('\''));
    }
}

/// Replaces times and ids of requests.
fn show_fixed(answer: &mut Value) {
    match answer {
        Value::Object(members) => {
            for (key, value) in members {
                match key.as_str() {
                    "timestamp" | "since" => *value = SHOWN_TIME.into(),
                    "requestId" => *value = SHOWN_REQUEST.into(),
                    _ => show_fixed(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(show_fixed),
        _ => {}
    }
}

/// Calls a tool, as soon as its index is built, and returns its answer with the values that differ each time as the
/// guide shows them.
fn answer(client: &mut Client, call: &Value) -> Value {
    let result = found("the index", || {
        let result = CallResult(client.request("tools/call", call.clone())["result"].take());
        Some(result).filter(|result| !result.text().contains(BUILDING))
    });
    let mut text = result.text().to_owned();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(token) = value["error"]["example"]["confirm"].as_str() {
        text = text.replace(token, SHOWN_TOKEN);
    }
    let logged = value["error"]["message"].as_str().and_then(|message| message.split_once(LOGGED));
    if let Some((_, id)) = logged {
        text = text.replace(id, &format!("{SHOWN_ID}."));
    }
    let text = show_fixed_undo(&text);
    serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
}

/// Shows the same id for each change that can be undone.
fn show_fixed_undo(text: &str) -> String {
    let is_id = |part: &str| {
        let shape = part.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        let (time, random) = part.split_at_checked(19).unwrap_or_default();
        shape.take(19).eq(*b"00000000T000000000-")
            && time.len() == 19
            && random.len() == 6
            && random.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = SHOWN_UNDO.len();
        let id = rest.get(..length).filter(|part| is_id(part));
        shown.push_str(id.map_or(&rest[..first.len_utf8()], |_| SHOWN_UNDO));
        rest = &rest[id.map_or(first.len_utf8(), |_| length)..];
    }
    shown
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
