//! What hostile inputs cost: the time and the peak memory of one command for each, the best of five. Prints a Markdown table;
//! asserts nothing. With programs as arguments, it measures those instead, beside each other:
//! `cargo bench -p toolwrit-tests --bench hostile -- OLD/toolwrit target/release/toolwrit`.
#![expect(clippy::print_stdout, reason = "a benchmark")]
#![expect(clippy::unwrap_used, reason = "a benchmark whose commands do not start must fail")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, unframed_response};
use toolwrit_test_servers::mcp::{Client, Session, serve_stdio};
use toolwrit_tests::memory::peak;
use toolwrit_tests::program::released;

const ROUNDS: usize = 5;
/// A command that takes longer is killed.
const MOST: Duration = Duration::from_secs(20);
/// Makes this program the server of tools.
const TOOLS: &str = "TOOLWRIT_BENCH_TOOLS";

fn main() {
    if std::env::var(TOOLS).is_ok() {
        return serve_tools();
    }
    let named = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let mut programs: Vec<PathBuf> = named.map(PathBuf::from).collect();
    if programs.is_empty() {
        programs.push(released("toolwrit"));
    }
    // Another version may not read what one has approved.
    let desks: Vec<Desk> = programs.iter().map(|program| Desk::approved(program)).collect();
    println!("| Input |{}", " s | MiB |".repeat(programs.len()));
    println!("|---|{}", "---:|---:|".repeat(programs.len()));
    for at in 0..desks[0].inputs().len() {
        let mut row = format!("| {} |", desks[0].inputs()[at].0);
        for (program, desk) in programs.iter().zip(&desks) {
            let (_, arguments) = &desk.inputs()[at];
            let (mut time, mut memory) = desk.measure(program, arguments);
            for _ in 1..ROUNDS {
                // What is killed once is not tried again.
                if time < MOST {
                    let again = desk.measure(program, arguments);
                    (time, memory) = (time.min(again.0), memory.min(again.1));
                }
            }
            let over = if time < MOST { "" } else { "over " };
            let _ = write!(row, " {over}{:.2} | {} |", time.as_secs_f64(), memory >> 20);
        }
        println!("{row}");
    }
}

/// A vault, a configuration, and servers that send what they must not.
struct Desk {
    folder: TempDir,
    _servers: Vec<HttpServer>,
}

impl Desk {
    fn approved(program: &Path) -> Self {
        let desk = Self::new();
        let words = ["upstream", "approve", "one", "--yes"].map(str::to_owned);
        assert!(desk.command(program, &words).status().unwrap().success());
        desk
    }

    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let vault = folder.path().join("vault");
        fs::create_dir(&vault).unwrap();
        fs::write(vault.join("Deep.md"), format!("```toolwrit\n{}\n```\n", "[".repeat(20_000)))
            .unwrap();
        let program = std::env::current_exe().unwrap();
        let program = program.to_str().unwrap();
        let mut config = format!(
            "[upstreams.one]\ncommand = [{program:?}]\nenv = {{ {TOOLS} = \"1\" }}\n\
             effects = {{ find = \"read\", flood = \"read\" }}\n\n"
        );
        let mut servers = Vec::new();
        for (name, answer) in
            [("index", numbered()), ("line", long_line()), ("calls", many_calls())]
        {
            let server = serve(&answer);
            let _ = write!(
                config,
                "[models.{name}]\ndialect = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\n\n",
                server.url("/")
            );
            servers.push(server);
        }
        fs::write(folder.path().join("config.toml"), config).unwrap();
        let networks = "[providers.api]\nnetworks = [\"127.0.0.0/8\"]\n";
        fs::write(folder.path().join("things.toml"), networks).unwrap();
        let server = serve(&large_json());
        fs::write(folder.path().join("things.yaml"), things(&server.url("/"))).unwrap();
        servers.push(server);
        Self { folder, _servers: servers }
    }

    /// Each input, and the command that meets it.
    fn inputs(&self) -> Vec<(String, Vec<String>)> {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let mut inputs = Vec::new();
        for depth in [8, 12, 14, 16] {
            let wrong = json!({ "field": 7, "value": 1 });
            let nested = |inner, _| json!({ "op": "and", "args": [inner] });
            let filter = (0..depth).fold(wrong, nested);
            let arguments = json!({ "filter": filter }).to_string();
            let name = format!("a filter {depth} deep with one wrong leaf");
            inputs.push((name, words(&["call", "one.find", "--args", &arguments])));
        }
        let flood = words(&["call", "one.flood", "--args", "{}"]);
        inputs.push(("64 reports of 4 MiB on calls that nobody made".to_owned(), flood));
        for (model, name) in [
            ("index", "a call of a model with the number 2,000,000"),
            ("line", "an event of a model of 16 MiB"),
            ("calls", "300 calls of a model, 100 KiB each"),
        ] {
            inputs.push((name.to_owned(), words(&["chat", "Chat.md", "What?", "--model", model])));
        }
        let things = self.folder.path().join("things.yaml");
        let get = ["call", "things.get", "--manifest", things.to_str().unwrap()];
        inputs.push(("an answer of an API with 900,000 items".to_owned(), words(&get)));
        let run = words(&["run", "Deep.md"]);
        inputs.push(("a block of a note with 20,000 open brackets".to_owned(), run));
        inputs
    }

    fn command(&self, program: &Path, arguments: &[String]) -> Command {
        let mut command = Command::new(program);
        // Another manifest has other settings.
        let has_manifest = arguments.iter().any(|argument| argument == "--manifest");
        let config = if has_manifest { "things.toml" } else { "config.toml" };
        command.args(arguments).arg("--config").arg(self.folder.path().join(config));
        command.env("TOOLWRIT_VAULT", self.folder.path().join("vault"));
        command.env("TOOLWRIT_DATA_DIR", self.folder.path()).env("HOME", self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The time of a command, and its peak memory.
    fn measure(&self, program: &Path, arguments: &[String]) -> (Duration, u64) {
        let _ = fs::remove_file(self.folder.path().join("vault/Chat.md"));
        let begun = Instant::now();
        let mut child = self.command(program, arguments).spawn().unwrap();
        let mut memory = 0;
        while begun.elapsed() < MOST && child.try_wait().unwrap().is_none() {
            memory = memory.max(peak(child.id()).unwrap_or_default());
            thread::sleep(Duration::from_millis(2));
        }
        let time = begun.elapsed();
        let _ = child.kill();
        let _ = child.wait();
        (time, memory)
    }
}

/// A server that gives the same answer to every request.
fn serve(answer: &str) -> HttpServer {
    let is_stream = answer.starts_with("data:");
    let media_type = if is_stream { "text/event-stream" } else { "application/json" };
    HttpServer::in_turn(vec![unframed_response(200, &[("content-type", media_type)], answer)])
}

fn called(number: u64, arguments: &str) -> String {
    let function = json!({ "name": "vault_list", "arguments": arguments });
    let call = json!({ "index": number, "id": format!("call_{number}"), "type": "function", "function": function });
    let delta = json!({ "tool_calls": [call] });
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    )
}

fn numbered() -> String {
    called(2_000_000, "{}")
}

fn long_line() -> String {
    format!("data: {}", "x".repeat(16 << 20))
}

fn many_calls() -> String {
    let arguments = json!({ "folder": "x".repeat(100 << 10) }).to_string();
    (0..300).map(|number| called(number, &arguments)).collect()
}

fn large_json() -> String {
    format!("{{\"id\":1,\"name\":\"x\",\"items\":[{}{{\"id\":1}}]}}", "{\"id\":1},".repeat(900_000))
}

/// An authority with one operation of an API.
fn things(base: &str) -> String {
    format!(
        "toolwrit: 1\nserver: {{ name: things }}\ncategories:\n  things: {{ summary: Things. }}\nproviders:\n  api:\n    \
         title: API\n    summary: An API.\n    http: {{ base: \"{base}\" }}\noperations:\n  things.get:\n    \
         summary: Get a thing.\n    effect: read\n    returns: {{ fields: {{ id: integer, name: string }} }}\n    \
         http: {{ get: /thing }}\n"
    )
}

/// An MCP server whose tools are a filter and a flood.
fn serve_tools() {
    let mut session = Session::new("bench", "1");
    serve_stdio(|message, client| match message["method"].as_str() {
        Some("tools/list") => client.answer(&message["id"], &json!({ "tools": tools() })),
        Some("tools/call") => {
            if message["params"]["name"] == "flood" {
                (0..64).for_each(|number| report(number, client));
            }
            client.answer_text(&message["id"], "done");
        }
        _ => session.receive(message, client),
    });
}

fn tools() -> Value {
    let operation = |name: &str| {
        json!({ "type": "object", "required": ["op", "args"], "properties": {
            "op": { "const": name }, "args": { "type": "array", "items": { "$ref": "#/$defs/filter" } } } })
    };
    let field = json!({ "type": "object", "required": ["field", "value"], "properties": { "field": { "type": "string" } } });
    let filter = json!({ "oneOf": [operation("and"), operation("or"), field] });
    json!([
        { "name": "find", "description": "Finds things.", "inputSchema": { "type": "object",
            "properties": { "filter": { "$ref": "#/$defs/filter" } }, "$defs": { "filter": filter } } },
        { "name": "flood", "description": "Reports much.", "inputSchema": { "type": "object" } },
    ])
}

fn report(number: u64, client: &mut Client<'_>) {
    let (token, message) = (format!("nobody-{number}"), "x".repeat(4 << 20));
    let params = json!({ "progressToken": token, "progress": number, "message": message });
    client.notify("notifications/progress", &params);
}
