//! Runs the commands and calls of the guide.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::client::{CallResult, Client, Era, User};
use toolwrit_tests::program::{lab, toolwrit, workspace};
use toolwrit_tests::vaults;

/// The home that the guide shows.
const SHOWN_HOME: &str = "/home/ada";
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

    /// Installs plugins of Obsidian in the vault, and opens a note there.
    fn with_obsidian(&self) {
        vaults::switch_on_plugins(&self.vault());
        let open = self.vault().join(".obsidian/workspace.json");
        fs::write(open, r#"{"lastOpenFiles": ["Inbox.md"]}"#).unwrap();
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
    let answers = paths.split_whitespace().map(|path| server.get(path, &[]).json());
    let mut answers: Vec<Value> = answers.collect();
    let mut answer = answers.pop().unwrap();
    show_fixed(&mut answer);
    answer
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
