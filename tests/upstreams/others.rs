//! Six servers that others use, behind one Toolwrit: each of their tools is called by the official Python client on every
//! surface in both eras, by the official TypeScript clients, and by the command line. `tests/upstreams/install` and `tests/clients/install` install them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::program::{toolwrit, workspace};
use toolwrit_tests::requirement::{Need, met};

use crate::upstreams::{SURFACES, Setup};

const NAMES: [&str; 6] = ["everything", "fetch", "filesystem", "git", "memory", "time"];
/// These servers start slowly on a busy machine.
const PATIENCE: &str = "start_timeout = \"2m\"\ntimeout = \"2m\"";
/// A picture of one dot.
const PICTURE: &[u8] = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;";

/// The upstreams, and the state that their tools change.
struct Others {
    setup: Setup,
    folder: PathBuf,
}

/// A call, and a part of its answer.
type Call = (&'static str, Value, &'static str);

impl Others {
    /// `None` if they are not installed.
    fn new() -> Option<Self> {
        let installed = workspace().join("target/ci/upstreams");
        let (node, python) = (installed.join("node_modules/.bin"), installed.join(".venv/bin"));
        let needs = [
            Need::File(&node.join("mcp-server-memory")),
            Need::File(&python.join("mcp-server-git")),
        ];
        if !met(&needs, "tests/upstreams/install") {
            return None;
        }
        let setup = Setup::new("");
        let folder = setup.folder.path().canonicalize().unwrap();
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        let program = |folder: &Path, name: &str| folder.join(name).to_str().unwrap().to_owned();
        let (files, repository) = (path("files"), path("repository"));
        let upstream = |name: &str, words: &[&str], more: &str| {
            format!(
                "[upstreams.{name}]\ncommand = {}\ntrust_annotations = true\n{PATIENCE}\n{more}\n",
                json!(words)
            )
        };
        let memory = format!("env = {{ MEMORY_FILE_PATH = \"{}\" }}", path("memory.jsonl"));
        let configuration = [
            upstream("everything", &[&program(&node, "mcp-server-everything"), "stdio"], ""),
            upstream("filesystem", &[&program(&node, "mcp-server-filesystem"), &files], ""),
            upstream("memory", &[&program(&node, "mcp-server-memory")], &memory),
            upstream(
                "git",
                &[&program(&python, "mcp-server-git"), "--repository", &repository],
                "",
            ),
            upstream(
                "time",
                &[&program(&python, "mcp-server-time"), "--local-timezone", "UTC"],
                "",
            ),
            upstream(
                "fetch",
                &[
                    &program(&python, "mcp-server-fetch"),
                    "--ignore-robots-txt",
                    "--allow-private-ips",
                ],
                "",
            ),
        ];
        fs::write(&setup.config, configuration.concat()).unwrap();
        let own = Self { setup, folder };
        own.begin();
        for name in NAMES {
            own.setup.approve(name);
        }
        Some(own)
    }

    fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// Brings the state to its begin.
    fn begin(&self) {
        for name in ["files", "repository"] {
            let _ = fs::remove_dir_all(self.folder.join(name));
            fs::create_dir(self.folder.join(name)).unwrap();
        }
        let _ = fs::remove_file(self.folder.join("memory.jsonl"));
        fs::write(self.folder.join("files/note.txt"), "a note").unwrap();
        fs::write(self.folder.join("files/dot.gif"), PICTURE).unwrap();
        let repository = self.folder.join("repository");
        fs::write(repository.join("poem.txt"), "one\n").unwrap();
        let git = |arguments: &[&str]| {
            let ran = Command::new("git").current_dir(&repository).args(arguments).status();
            assert!(ran.unwrap().success(), "{arguments:?}");
        };
        git(&["init", "--quiet", "--initial-branch", "main"]);
        git(&["config", "user.name", "Ada"]);
        git(&["config", "user.email", "ada@example.com"]);
        git(&["add", "poem.txt"]);
        git(&["commit", "--quiet", "-m", "Begin"]);
        fs::write(repository.join("poem.txt"), "one\ntwo\n").unwrap();
    }

    /// Calls of every tool, in an order in which they succeed.
    fn calls(&self, page: &str) -> Vec<Call> {
        let repository = self.path("repository");
        let git = |more: Value| {
            let mut arguments = json!({ "repo_path": repository });
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        let file = |name: &str| self.path(&format!("files/{name}"));
        let note = file("note.txt");
        let (nothing, ada) = (
            json!({}),
            json!({ "name": "Ada", "entityType": "person", "observations": ["writes"] }),
        );
        let ben = json!({ "name": "Ben", "entityType": "person", "observations": [] });
        let knows = json!([{ "from": "Ada", "to": "Ben", "relationType": "knows" }]);
        vec![
            ("everything.echo", json!({ "message": "hello" }), "Echo: hello"),
            ("everything.get-annotated-message", json!({ "messageType": "success" }), "success"),
            ("everything.get-env", nothing.clone(), "PATH"),
            (
                "everything.get-resource-links",
                json!({ "count": 2 }),
                "demo://resource/dynamic/text/2",
            ),
            (
                "everything.get-resource-reference",
                json!({ "resourceType": "Text", "resourceId": 1 }),
                "demo://resource/dynamic/text/1",
            ),
            ("everything.get-structured-content", json!({ "location": "Chicago" }), "temperature"),
            ("everything.get-sum", json!({ "a": 2, "b": 3 }), "5"),
            ("everything.get-tiny-image", nothing.clone(), "image/png"),
            (
                "everything.gzip-file-as-resource",
                json!({ "name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource" }),
                "H4sI",
            ),
            ("everything.toggle-simulated-logging", nothing.clone(), "Started"),
            ("everything.toggle-subscriber-updates", nothing.clone(), "Started"),
            (
                "everything.trigger-long-running-operation",
                json!({ "duration": 0.2, "steps": 2 }),
                "completed",
            ),
            // The client has no user.
            ("everything.trigger-elicitation-request", nothing.clone(), "declined"),
            // It runs as a task only.
            ("everything.simulate-research-query", json!({ "topic": "tides" }), "Research Report"),
            ("fetch.fetch", json!({ "url": page }), "High at noon."),
            ("filesystem.read_file", json!({ "path": note }), "a note"),
            ("filesystem.read_text_file", json!({ "path": note, "head": 1 }), "a note"),
            ("filesystem.read_media_file", json!({ "path": file("dot.gif") }), "image/gif"),
            ("filesystem.read_multiple_files", json!({ "paths": [note] }), "a note"),
            (
                "filesystem.write_file",
                json!({ "path": file("new.txt"), "content": "new" }),
                "Successfully",
            ),
            (
                "filesystem.edit_file",
                json!({ "path": file("new.txt"), "edits": [{ "oldText": "new", "newText": "newer" }] }),
                "+newer",
            ),
            ("filesystem.create_directory", json!({ "path": file("sub") }), "Successfully"),
            ("filesystem.list_directory", json!({ "path": file("") }), "note.txt"),
            ("filesystem.list_directory_with_sizes", json!({ "path": file("") }), "note.txt"),
            ("filesystem.directory_tree", json!({ "path": file("") }), "note.txt"),
            (
                "filesystem.move_file",
                json!({ "source": file("new.txt"), "destination": file("sub/moved.txt") }),
                "Successfully",
            ),
            (
                "filesystem.search_files",
                json!({ "path": file(""), "pattern": "**/*.txt" }),
                "moved.txt",
            ),
            ("filesystem.get_file_info", json!({ "path": note }), "size"),
            ("filesystem.list_allowed_directories", nothing.clone(), "files"),
            ("git.git_status", git(json!({})), "poem.txt"),
            ("git.git_diff_unstaged", git(json!({})), "+two"),
            ("git.git_diff", git(json!({ "target": "main" })), "+two"),
            ("git.git_add", git(json!({ "files": ["poem.txt"] })), "staged"),
            ("git.git_diff_staged", git(json!({})), "+two"),
            ("git.git_reset", git(json!({})), "reset"),
            ("git.git_add", git(json!({ "files": ["poem.txt"] })), "staged"),
            ("git.git_commit", git(json!({ "message": "Go on" })), "committed"),
            ("git.git_log", git(json!({ "max_count": 1 })), "Go on"),
            ("git.git_show", git(json!({ "revision": "HEAD" })), "+two"),
            ("git.git_create_branch", git(json!({ "branch_name": "topic" })), "topic"),
            ("git.git_checkout", git(json!({ "branch_name": "topic" })), "topic"),
            ("git.git_branch", git(json!({ "branch_type": "local" })), "main"),
            ("memory.create_entities", json!({ "entities": [ada, ben] }), "Ada"),
            ("memory.create_relations", json!({ "relations": knows }), "knows"),
            (
                "memory.add_observations",
                json!({ "observations": [{ "entityName": "Ada", "contents": ["reads"] }] }),
                "reads",
            ),
            ("memory.read_graph", nothing.clone(), "reads"),
            ("memory.search_nodes", json!({ "query": "reads" }), "Ada"),
            ("memory.open_nodes", json!({ "names": ["Ben"] }), "person"),
            (
                "memory.delete_observations",
                json!({ "deletions": [{ "entityName": "Ada", "observations": ["reads"] }] }),
                "success",
            ),
            ("memory.delete_relations", json!({ "relations": knows }), "success"),
            ("memory.delete_entities", json!({ "entityNames": ["Ada", "Ben"] }), "success"),
            ("time.get_current_time", json!({ "timezone": "Europe/Oslo" }), "Europe/Oslo"),
            (
                "time.convert_time",
                json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" }),
                "21:00",
            ),
        ]
    }
}

/// A page on this machine, for as long as the tests run. Returns its address.
fn page() -> String {
    use std::io::{BufRead as _, BufReader, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/tides", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let request = BufReader::new(stream.try_clone().unwrap());
            let _ =
                request.lines().map_while(Result::ok).take_while(|line| !line.is_empty()).count();
            let body = "<html><body><h1>Tides</h1><p>High at noon.</p></body></html>";
            let length = body.len();
            // The client may be gone.
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
        }
    });
    address
}

/// A call as the tool of a surface.
fn through(surface: &str, effect: &str, id: &str, arguments: &Value) -> Value {
    let (category, name) = id.split_once('.').unwrap();
    let verb = if effect == "destroy" { "delete" } else { effect };
    match surface {
        "flat" => json!({ "name": format!("{category}_{name}"), "arguments": arguments }),
        "dispatch" => json!({ "name": format!("{category}_{verb}"),
                              "arguments": { "operation": name, "params": arguments } }),
        _ => {
            json!({ "name": format!("execute_{verb}"), "arguments": { "tool": id, "args": arguments } })
        }
    }
}

/// Checks the answers to calls, in their order.
fn check(calls: &[Call], answers: &[Value], how: &str) {
    assert_eq!(answers.len(), calls.len());
    for ((id, _, expected), answer) in calls.iter().zip(answers) {
        let text = answer.to_string();
        assert!(text.contains(expected), "{how} {id}: {text}");
        assert_ne!(answer["isError"], true, "{how} {id}: {text}");
    }
}

/// An official client: its interpreter, its script, and the eras that it knows.
type Official<'a> = (&'a Path, &'a Path, &'a [Era]);

/// Calls every tool with an official client on these surfaces.
fn drive(others: &Others, (interpreter, script, eras): Official, surfaces: &[&str]) {
    let listed: Value = serde_json::from_str(&others.setup.done(&["list", "--json"])).unwrap();
    let all = listed["operations"].as_array().unwrap();
    let calls = others.calls(&page());
    let ids = all.iter().map(|own| own["id"].as_str().unwrap());
    let of_upstreams = |id: &&str| NAMES.iter().any(|name| id.starts_with(&format!("{name}.")));
    let offered: BTreeSet<&str> = ids.filter(of_upstreams).collect();
    assert_eq!(offered, calls.iter().map(|call| call.0).collect(), "each tool has a call");
    let effect = |id: &str| {
        all.iter().find(|own| own["id"] == id).unwrap()["effect"].as_str().unwrap().to_owned()
    };
    for surface in surfaces {
        for era in eras {
            others.begin();
            let (config, data) = (others.path("config.toml"), others.path("data"));
            let program = json!([
                toolwrit(),
                "serve",
                "--surface",
                surface,
                "--config",
                config,
                "--data-dir",
                data
            ]);
            let requests: Vec<Value> = calls
                .iter()
                .map(|(id, arguments, _)| through(surface, &effect(id), id, arguments))
                .collect();
            let version = if *era == Era::Stateless { "2026-07-28" } else { "2025-11-25" };
            let driven = Command::new(interpreter)
                .arg(script)
                .args([program.to_string(), version.to_owned(), json!(requests).to_string()])
                .env("HOME", others.setup.folder.path())
                .output()
                .unwrap();
            let how = format!("{} {surface} {era:?}", script.display());
            assert!(driven.status.success(), "{how}: {}", String::from_utf8_lossy(&driven.stderr));
            let report: Value = serde_json::from_slice(&driven.stdout).unwrap();
            assert_eq!(report["protocolVersion"], version);
            check(&calls, report["results"].as_array().unwrap(), &how);
        }
    }
}

#[test]
fn every_tool_of_six_servers_is_called_by_the_python_client_on_every_surface() {
    let Some(others) = Others::new() else { return };
    let clients = workspace().join("tests/clients/python");
    let python = clients.join(".venv/bin/python");
    if met(&[Need::Program(&python, (3, 11))], "tests/clients/install") {
        drive(&others, (&python, &clients.join("drive.py"), &Era::ALL), &SURFACES);
    }
}

#[test]
fn every_tool_of_six_servers_is_called_by_both_typescript_clients() {
    let Some(others) = Others::new() else { return };
    let clients = workspace().join("tests/clients/typescript");
    let (node, packages) = (Path::new("node"), clients.join("node_modules/@modelcontextprotocol"));
    let scripts: [(&str, &str, &[Era]); 2] =
        [("sdk", "sdk.mjs", &[Era::Initialize]), ("client", "client.mjs", &[Era::Stateless])];
    for (package, script, eras) in scripts {
        let needs = [Need::Program(node, (20, 0)), Need::File(&packages.join(package))];
        if met(&needs, "tests/clients/install") {
            drive(&others, (node, &clients.join(script), eras), &["flat", "meta"]);
        }
    }
}

#[test]
fn every_tool_of_six_servers_is_called_by_the_command_line() {
    let Some(others) = Others::new() else { return };
    let calls = others.calls(&page());
    // The calls of one server follow each other, because some need the result of another.
    std::thread::scope(|scope| {
        for server in NAMES {
            let (calls, setup) = (&calls, &others.setup);
            scope.spawn(move || {
                let own = calls.iter().filter(|call| call.0.split('.').next() == Some(server));
                for (id, arguments, expected) in own {
                    let ran = setup.run(&["call", id, "--args", &arguments.to_string(), "--yes"]);
                    let said = format!(
                        "{}{}",
                        String::from_utf8_lossy(&ran.stdout),
                        String::from_utf8_lossy(&ran.stderr)
                    );
                    assert!(said.contains(expected), "{id}: {said}");
                    assert!(ran.status.success(), "{id}: {said}");
                }
            });
        }
    });
}
