//! The scripted server: this test program, started again. What the harness writes on standard output is noise before the
//! first message. Its tools are in a file, which tests replace.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value, json};

/// The variable that makes this program the server, and names the file of its tools.
const TOOLS: &str = "SCRIPTED_TOOLS";

/// The tables of an upstream that is this server, whose tools are in a file.
pub(crate) fn table(name: &str, tools: &Path, more: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let (program, tools) = (program.display(), tools.display());
    format!(
        "[upstreams.{name}]\ncommand = [\"{program}\", \"scripted::serve\", \"--exact\", \"--nocapture\"]\n\
         env = {{ {TOOLS} = \"{tools}\" }}\n{more}\n"
    )
}

/// A tool without arguments.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does {name}. It is scripted."),
            "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false } })
}

pub(crate) fn write(folder: &Path, tools: &[Value]) -> PathBuf {
    let path = folder.join("tools.json");
    fs::write(&path, json!(tools).to_string()).unwrap();
    path
}

/// The server, if the variable is set.
#[test]
fn serve() {
    let Ok(tools) = std::env::var(TOOLS) else { return };
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        receive(&message, Path::new(&tools));
    }
    process::exit(0);
}

fn send(message: &Value) {
    let mut output = std::io::stdout().lock();
    output.write_all(format!("{message}\n").as_bytes()).and_then(|()| output.flush()).unwrap();
}

fn receive(message: &Value, tools: &Path) {
    let (id, params) = (&message["id"], &message["params"]);
    let answer = |result: Value| send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    match message["method"].as_str().unwrap_or_default() {
        "initialize" => answer(json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "scripted", "version": "1.2.3" } })),
        "ping" => answer(json!({})),
        "tools/list" => {
            let tools: Value = serde_json::from_slice(&fs::read(tools).unwrap()).unwrap();
            answer(json!({ "tools": tools }));
        }
        "tools/call" => call(params, &answer),
        method if method.starts_with("notifications/") => {}
        _ => send(&json!({ "jsonrpc": "2.0", "id": id,
                           "error": { "code": -32601, "message": "no such method" } })),
    }
}

fn call(params: &Value, answer: &dyn Fn(Value)) {
    let words = |text: &str| json!({ "content": [{ "type": "text", "text": text }] });
    let result = match params["name"].as_str().unwrap_or_default() {
        "pid" => words(&process::id().to_string()),
        "arguments" => words(&params["arguments"].to_string()),
        "hidden" => words("a\u{200b}b\u{202e}c"),
        "large" => words(&"x".repeat(1024 * 1024)),
        "image" => {
            json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": "image/png" }] })
        }
        "number" => json!({ "content": [{ "type": "text", "text": "{}" }],
                            "structuredContent": { "number": 7, "nothing": null } }),
        "unstructured" => words("no number"),
        "fails" => {
            json!({ "content": [{ "type": "text", "text": "the disk is full" }], "isError": true })
        }
        "progress" => {
            if let Some(token) = params["_meta"].get("progressToken") {
                send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": token, "progress": 1, "total": 2, "message": "half" } }));
            }
            words("done")
        }
        "change" => {
            send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
            words("changed")
        }
        "hang" => return,
        name => words(&format!("did {name}")),
    };
    answer(result);
}
