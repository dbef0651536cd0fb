//! The official, unmodified clients use the shipped server over its standard streams and over HTTP.
//!
//! `tests/clients/install` installs them. Each script in `tests/clients` lists the tools and makes the
//! calls that it gets. Its client validates every message, and every structured result against the tool's
//! output schema.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Era};
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};
use toolwrit_tests::vaults;

/// A note of the generated vault, with a folder and with non-ASCII characters in its name.
const NOTE: &str = "03 anchor/Café budget 0003.md";
/// Larger than the limit of results.
const LARGE: &str = "Large.md";
const WRITTEN: &str = "New folder/Zoë's 日本 note.md";
const CONTENT: &str = "---\nstatus: \"new\"\n---\n# Ünïcode 🖋\n\n\tTabs, \"quotes\", \\ and no end";

const INSTALL: &str = "tests/clients/install";

#[test]
fn the_typescript_sdk_drives_the_server() {
    typescript("sdk.mjs", "sdk", &[Era::Initialize]);
}

#[test]
fn the_typescript_client_drives_the_server_in_both_eras() {
    typescript("client.mjs", "client", &Era::ALL);
}

#[test]
fn the_python_client_drives_the_server_in_both_eras() {
    let clients = workspace().join("tests/clients/python");
    let python = clients.join(".venv/bin/python");
    // The package's own program exists if the package is installed.
    let package = clients.join(".venv/bin/mcp");
    if met(&[Need::Program(&python, (3, 11)), Need::File(&package)], INSTALL) {
        drive(&python, &clients.join("drive.py"), &Era::ALL);
    }
}

/// The project's own client for JavaScript, with the official SDK and over `GET /tools`.
#[test]
fn the_javascript_client_fetches_the_tools_of_a_message() {
    let clients = workspace().join("tests/clients/typescript");
    let package = clients.join("node_modules/@modelcontextprotocol/sdk");
    if !met(&[Need::Program(Path::new("node"), (20, 0)), Need::File(&package)], INSTALL) {
        return;
    }
    let vault = vaults::empty();
    fs::write(vault.path().join("Inbox.md"), "Lantern oil\n").unwrap();
    let fetch = |target: &str| -> Value {
        let mut node = Command::new("node");
        node.env("HOME", env!("CARGO_TARGET_TMPDIR"));
        let output = node.arg(clients.join("dynamic.mjs")).arg(target).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let names = |tools: &Value| -> Vec<String> {
        let tools = tools.as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let check = |report: &Value, rename: &str| {
        assert!(names(&report["tools"]).contains(&rename.to_owned()), "{report:#}");
        let tool = &report["tools"][0];
        assert!(tool["inputSchema"]["properties"].is_object() && tool["description"].is_string());
        assert_eq!(report["same"], true);
        assert!(report["contexts"].as_array().unwrap().contains(&json!("tidying")), "{report:#}");
        assert!(report["named"].as_array().unwrap().contains(&json!(rename)), "{report:#}");
        assert_eq!(report["ranked"][0], rename);
        assert_eq!((&report["nothing"], &report["without"]), (&json!([]), &json!([])));
        assert!(report["refused"].as_str().unwrap().contains("nothing"), "{report:#}");
        // The message was asked for three times, and sent once.
        assert_eq!(
            (&report["usage"]["requests"], &report["usage"]["hits"]),
            (&json!(7), &json!(2))
        );
        assert!(report["usage"]["reductionPercent"].as_u64().unwrap() > 0);
    };
    let command = json!([toolwrit(), "serve", "--surface", "meta", "--vault", vault.path()]);
    let report = fetch(&command.to_string());
    check(&report, "vault.rename");
    assert!(report["called"].as_str().unwrap().contains("Lantern oil"), "{report:#}");
    let server = Listening::start(vault.path());
    check(&fetch(server.url.trim_end_matches("/mcp")), "vault_rename");
}

fn typescript(script: &str, package: &str, eras: &[Era]) {
    let clients = workspace().join("tests/clients/typescript");
    let package = clients.join("node_modules/@modelcontextprotocol").join(package);
    let node = Path::new("node");
    if met(&[Need::Program(node, (20, 0)), Need::File(&package)], INSTALL) {
        drive(node, &clients.join(script), eras);
    }
}

fn drive(interpreter: &Path, script: &Path, eras: &[Era]) {
    for era in eras {
        for surface in [Surface::Flat, Surface::Dispatch, Surface::Meta] {
            let vault = vault();
            let serve = ["serve", "--surface", surface.name(), "--vault"].map(Path::new);
            let target = json!([&[toolwrit()], &serve[..], &[vault.path()]].concat());
            let report = run(interpreter, script, &target.to_string(), surface, *era);
            report.check(surface, *era);
            report.check_vault(vault.path());
            report.check_deletion(vault.path());
        }
        let vault = vault();
        let server = Listening::start(vault.path());
        let surface = Surface::Dispatch;
        let target = format!("{}/{}", server.url, surface.name());
        let report = run(interpreter, script, &target, surface, *era);
        report.check(surface, *era);
        report.check_vault(vault.path());
        report.check_deletion(vault.path());
    }
}

/// A generated vault with a large note.
fn vault() -> TempDir {
    let vault = vaults::generate(120);
    fs::write(vault.path().join(LARGE), "A line of a large note.\n".repeat(40_000)).unwrap();
    vault
}

/// The shipped server over HTTP.
struct Listening {
    child: Child,
    url: String,
    _data: TempDir,
}

impl Listening {
    fn start(vault: &Path) -> Self {
        let data = TempDir::new().unwrap();
        let mut child = Command::new(toolwrit())
            .args(["serve", "--http", "127.0.0.1:0", "--sessions", "8", "--vault"])
            .arg(vault)
            .env("TOOLWRIT_DATA_DIR", data.path())
            .env("HOME", data.path())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        let mut lines = said.lines().map(Result::unwrap);
        let url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        // Its further output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.unwrap(), _data: data }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(interpreter: &Path, script: &Path, target: &str, surface: Surface, era: Era) -> Report {
    let output = Command::new(interpreter)
        .arg(script)
        .args([target, protocol(era), &calls(surface).to_string()])
        // The server's data folder is in it; the SDKs pass few other variables on.
        .env("HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{} on {} in {}, {target}:\n{}",
        script.display(),
        surface.name(),
        protocol(era),
        String::from_utf8_lossy(&output.stderr)
    );
    Report(serde_json::from_slice(&output.stdout).unwrap())
}

fn protocol(era: Era) -> &'static str {
    match era {
        Era::Initialize => "2025-11-25",
        Era::Stateless => "2026-07-28",
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Surface {
    Flat,
    Dispatch,
    Meta,
}

impl Surface {
    fn name(self) -> &'static str {
        match self {
            Surface::Flat => "flat",
            Surface::Dispatch => "dispatch",
            Surface::Meta => "meta",
        }
    }

    /// The tools that it lists, for any operations.
    fn tools(self) -> &'static [&'static str] {
        match self {
            Surface::Flat => &["vault_read", "vault_write", "vault_search", "vault_delete"],
            Surface::Dispatch => &["vault_read", "vault_write", "vault_delete", "discover"],
            Surface::Meta => &[
                "introspect",
                "search_tools",
                "describe_tools",
                "execute_read",
                "execute_write",
                "execute_delete",
                "context",
            ],
        }
    }

    /// How an operation of the vault with this effect is called.
    fn call(self, effect: &str, operation: &str, arguments: &Value) -> Value {
        match self {
            Surface::Flat => json!({"name": format!("vault_{operation}"), "arguments": arguments}),
            Surface::Dispatch => json!({
                "name": format!("vault_{effect}"),
                "arguments": {"operation": operation, "params": arguments},
            }),
            Surface::Meta => json!({
                "name": format!("execute_{effect}"),
                "arguments": {"tool": format!("vault.{operation}"), "args": arguments},
            }),
        }
    }
}

/// The calls of every client. [`Report::check`] takes their results in this order.
fn calls(surface: Surface) -> Value {
    json!([
        surface.call("read", "read", &json!({"path": NOTE})),
        surface.call("read", "search", &json!({"query": "Café budget 0003"})),
        surface.call("write", "write", &json!({"path": WRITTEN, "content": CONTENT})),
        surface.call("read", "read", &json!({"path": WRITTEN})),
        surface.call("read", "read", &json!({"path": LARGE, "max_bytes": 1_000_000})),
        surface.call("read", "read", &json!({"pth": NOTE})),
        json!({"name": "get_vault_file", "arguments": {"path": NOTE}}),
        surface.call("delete", "delete", &json!({"path": LARGE})),
    ])
}

/// The output of a script: `{protocolVersion, server, tools, results, questions}`.
struct Report(Value);

impl Report {
    fn check(&self, surface: Surface, era: Era) {
        assert_eq!(self.0["protocolVersion"], protocol(era));
        assert_eq!(self.0["server"]["name"], "toolwrit-vault");
        self.check_tools(surface);

        let results = self.0["results"].as_array().unwrap();
        let results: Vec<CallResult> = results.iter().cloned().map(CallResult).collect();
        let [read, search, write, read_back, large, misspelt, alias, _] =
            results.try_into().unwrap();
        for result in [&read, &search, &write, &read_back, &large] {
            // On tools that declare structured content, it equals the text.
            let structured = (surface == Surface::Flat).then(|| result.clone().ok());
            assert_eq!(result.0.get("structuredContent"), structured.as_ref());
        }
        let note = read.ok();
        assert_eq!(note["path"], NOTE);
        let search = search.ok();
        let matches = search["matches"].as_array().unwrap();
        assert!(matches.iter().any(|found| found["path"] == NOTE), "{search}");
        assert_eq!(write.ok()["created"], true);
        assert_eq!(read_back.ok()["content"], CONTENT);
        assert_eq!(large.ok()["truncated"], true);

        let error = misspelt.error();
        assert_eq!(error["code"], "VALIDATION_ERROR");
        assert_eq!(error["did_you_mean"], json!(["path"]));

        let hint = alias.0["content"][1]["text"].as_str().unwrap();
        assert!(hint.starts_with("`get_vault_file` is now `vault.read`"), "{hint}");
        assert_eq!(alias.ok(), note);
    }

    fn check_tools(&self, surface: Surface) {
        let tools = self.0["tools"].as_array().unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for tool in surface.tools() {
            assert!(names.contains(tool), "no {tool} in {names:?}");
        }
        for tool in tools {
            // The category of `fetch` lists its operations directly.
            let is_operation = surface == Surface::Flat || tool["name"] == "fetch";
            // It returns pictures and recordings, not an object.
            let has_schema = is_operation && tool["name"] != "vault_attachment";
            assert_eq!(tool.get("outputSchema").is_some(), has_schema, "{tool}");
        }
    }

    /// The call that deletes, which is the last one.
    fn deletion(&self) -> CallResult {
        CallResult(self.0["results"].as_array().unwrap().last().unwrap().clone())
    }

    /// The user was asked once, and the note is in the trash.
    fn check_deletion(&self, vault: &Path) {
        let deleted: Value = serde_json::from_str(self.deletion().text()).unwrap();
        assert_eq!(deleted["disposal"], "vault_trash", "{deleted}");
        assert!(!vault.join(LARGE).exists() && vault.join(".trash").join(LARGE).exists());
        let questions = self.0["questions"].as_array().unwrap();
        let asked = questions.iter().filter_map(Value::as_str).collect::<Vec<_>>();
        assert!(asked.len() == 1 && asked[0].contains(LARGE), "{asked:?}");
    }

    fn check_vault(&self, vault: &Path) {
        assert_eq!(fs::read_to_string(vault.join(WRITTEN)).unwrap(), CONTENT);
        let note = fs::read_to_string(vault.join(NOTE)).unwrap();
        assert_eq!(self.0["results"][0]["content"][0]["text"].as_str().map(content), Some(note));
    }
}

fn content(text: &str) -> String {
    let result: Value = serde_json::from_str(text).unwrap();
    result["content"].as_str().unwrap().to_owned()
}
