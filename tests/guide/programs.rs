//! Runs the commands and calls of the guide.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::client::{CallResult, Client, Era, User};
use toolwrit_tests::http::Server;
use toolwrit_tests::model::{Model, Response};
use toolwrit_tests::program::{lab, toolwrit, workspace};
use toolwrit_tests::vaults;

use crate::blocks::same_lines;

/// The home that the guide shows.
const SHOWN_HOME: &str = "/home/ada";
/// The address of the servers that the guide starts. They listen on a free port.
const SHOWN_ADDRESS: &str = "127.0.0.1:8080";
const FREE_ADDRESS: &str = "127.0.0.1:0";

/// A file that stands for one that the guide names and does not show.
const ANY_MANIFEST: &str = "toolwrit: 1\nserver: { name: any }\ncategories: { any: { summary: Any. } }\noperations:\n  \
    any.thing: { summary: Any thing., effect: read }\n";
/// The confirmation token that the guide shows; the server makes a new one for each refusal.
const SHOWN_TOKEN: &str = "5496018426417448b44a";

/// The time and the id of a request that the guide shows.
const SHOWN_TIME: &str = "2026-11-22T09:30:00.000Z";
const SHOWN_REQUEST: &str = "6c1f0b0f5a0d4a5b9a0b7f3f3a1f2e4d";

/// What precedes the id of a defect, and the id that the guide shows.
const LOGGED: &str = "logged as ";
const SHOWN_ID: &str = "6740a1f2-0";

/// The site that the guide shows.
const SHOWN_SITE: &str = "https://lighthouse.example";
/// A page of that site.
const PAGE: &str = "<title>Opening hours</title><article><h1>Opening hours</h1><p>The lamp room is open on <b>Sundays</b> \
    from 14:00, if the causeway is dry.</p></article>";

/// A user's home with the sample vault in the folder `Notes`.
pub(crate) struct Home {
    folder: TempDir,
    /// Servers that commands have started. They run as long as the home exists.
    servers: RefCell<Vec<Server>>,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        copy(&workspace().join("server/sample"), &folder.path().join("Notes"));
        Self { folder, servers: RefCell::default() }
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
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
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

    /// Prepares the home for a block, as the comment before the block says.
    pub(crate) fn prepare(&self, setup: &str) {
        let Some(command) = setup.strip_prefix("$ ") else {
            assert_eq!(setup, "model");
            return self.with_model();
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
        let base = Model::new(responses).base;
        let config = format!(
            "[models.writer]\ndialect = \"openai\"\nmodel = \"m\"\nbase_url = \"{base}\"\n"
        );
        self.write(".config/toolwrit-vault/config.toml", &config);
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
        printed.replace(self.folder.path().to_str().unwrap(), SHOWN_HOME)
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

/// The answer to the last of some tool calls, written as `FLAGS JSON..`.
pub(crate) fn called(directive: &str) -> Value {
    let (flags, calls) = directive.split_at(directive.find('{').unwrap());
    let mut flags: Vec<&str> = flags.split_whitespace().collect();
    let mut is = |word: &str| {
        let found = flags.first() == Some(&word);
        flags.drain(..usize::from(found));
        found
    };
    let (is_lab, declines, obsidian, web) = (is("lab"), is("declining"), is("obsidian"), is("web"));
    let home = Home::new();
    if obsidian {
        home.with_obsidian();
    }
    let site = if web { serve_page() } else { SHOWN_SITE.to_owned() };
    if web {
        flags.extend(["--web-allow", "127.0.0.1"]);
    }
    let vault = home.vault();
    let (program, own) = if is_lab {
        (lab(), vec!["serve"])
    } else {
        (toolwrit(), vec!["serve", "--vault", vault.to_str().unwrap()])
    };
    let user = if declines { User::Declines } else { User::Absent };
    let arguments = [own, flags].concat();
    let mut client = Client::connect_for(user, program, &arguments, Era::Initialize);
    let calls = calls.replace(SHOWN_SITE, &site);
    let calls = serde_json::Deserializer::from_str(&calls).into_iter();
    let mut answer = calls.map(|call| answer(&mut client, call.unwrap())).last().unwrap();
    if web {
        let shown = answer.to_string().replace(&site, SHOWN_SITE);
        answer = serde_json::from_str(&shown).unwrap();
    }
    if is_lab {
        answer["error"]["operation"] = "..".into();
    }
    answer
}

/// Serves a page at every path, for as long as the test runs, and returns the address.
fn serve_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let length = PAGE.len();
            // The client may have left.
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {length}\r\n\r\n{PAGE}"
            );
        }
    });
    site
}

/// The answer to the last of some GET requests, with the values that differ each time as the guide shows them.
pub(crate) fn got(paths: &str) -> Value {
    let home = Home::new();
    let vault = home.vault();
    let state = toolwrit_tests::http::Home::new();
    let server = state.serve(toolwrit(), &["--vault", vault.to_str().unwrap()]);
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
