//! The clients with a scripted model: it calls a tool of the installed server, and the client sends it what the tool answers.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};
use toolwrit_tests::files::put;

use super::User;
use super::real::{has, path, programs, with_clients};

const NOTE: &str = "The lighthouse keeper's log.";
const ANSWER: &str = "I have read it.";
/// How the name of the tool ends in each client.
const TOOL: &str = "vault_read";

/// The form in which a client speaks to models.
#[derive(Debug, Clone, Copy)]
enum Dialect {
    /// Messages, of Anthropic.
    Messages,
    /// Responses, of `OpenAI`.
    Responses,
    /// Generated contents, of Google.
    Contents,
    /// Chat completions, which many imitate.
    Completions,
}

impl Dialect {
    /// What a request has if it carries the answer of a tool.
    fn mark(self) -> &'static str {
        match self {
            Self::Messages => r#""type":"tool_result""#,
            Self::Responses => r#""type":"function_call_output""#,
            Self::Contents => r#""functionResponse":"#,
            Self::Completions => r#""role":"tool""#,
        }
    }

    /// A response that calls a tool.
    fn call(self, tool: &str) -> String {
        let (arguments, text) = (json!({"path": "Log.md"}), json!({"path": "Log.md"}).to_string());
        match self {
            Self::Messages => {
                let block = json!({"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}});
                message(
                    &block,
                    &json!({"type": "input_json_delta", "partial_json": text}),
                    "tool_use",
                )
            }
            Self::Responses => responded(&json!({
                "type": "function_call", "id": "f", "call_id": "c", "namespace": "mcp__notes", "name": tool, "arguments": text,
            })),
            Self::Contents => {
                generated(&json!({"functionCall": {"name": tool, "args": arguments}}))
            }
            Self::Completions => {
                let function = json!({"name": tool, "arguments": text});
                let call = json!({"index": 0, "id": "c", "type": "function", "function": function});
                completed(&json!({"tool_calls": [call]}), "tool_calls")
            }
        }
    }

    /// A response that says something.
    fn text(self) -> String {
        match self {
            Self::Messages => {
                let delta = json!({"type": "text_delta", "text": ANSWER});
                message(&json!({"type": "text", "text": ""}), &delta, "end_turn")
            }
            Self::Responses => {
                let content = json!([{"type": "output_text", "text": ANSWER}]);
                responded(
                    &json!({"type": "message", "role": "assistant", "id": "m", "content": content}),
                )
            }
            Self::Contents => generated(&json!({"text": ANSWER})),
            Self::Completions => completed(&json!({"content": ANSWER}), "stop"),
        }
    }
}

/// An event of a stream, named by its type if it has one.
fn event(data: &Value) -> String {
    let name = data["type"].as_str().map(|name| format!("event: {name}\n"));
    format!("{}data: {data}\n\n", name.unwrap_or_default())
}

fn message(block: &Value, delta: &Value, reason: &str) -> String {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": null,
        "stop_sequence": null, "usage": usage,
    });
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    events.iter().map(event).collect()
}

fn responded(item: &Value) -> String {
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    let events = [
        json!({"type": "response.created", "response": {"id": "r"}}),
        json!({"type": "response.output_item.done", "item": item}),
        json!({"type": "response.completed", "response": {"id": "r", "usage": usage}}),
    ];
    events.iter().map(event).collect()
}

fn generated(part: &Value) -> String {
    let content = json!({"role": "model", "parts": [part]});
    let usage = json!({"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2});
    let candidate = json!({"index": 0, "content": content, "finishReason": "STOP"});
    event(&json!({"candidates": [candidate], "usageMetadata": usage}))
}

fn completed(delta: &Value, reason: &str) -> String {
    let chunk = |delta: &Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        event(&json!({
            "id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice],
        }))
    };
    format!("{}{}data: [DONE]\n\n", chunk(delta, None), chunk(&json!({}), Some(reason)))
}

/// The name of the tool among all names of a request.
fn offered(request: &Value) -> Option<String> {
    match request {
        Value::Object(object) => {
            let name = object.get("name").and_then(Value::as_str);
            let name = name.filter(|name| name.ends_with(TOOL)).map(str::to_owned);
            name.or_else(|| object.values().find_map(offered))
        }
        Value::Array(items) => items.iter().find_map(offered),
        _ => None,
    }
}

/// A model that calls the tool if it is offered, until it has its answer.
fn model(dialect: Dialect) -> HttpServer {
    HttpServer::answering(move |request: &ReceivedRequest| {
        if request.method != "POST" {
            return json_response(200, &json!({"object": "list", "data": [], "models": []}));
        }
        let tool = offered(&request.json()["tools"]);
        let body = match tool.filter(|_| !request.text().contains(dialect.mark())) {
            Some(tool) => dialect.call(&tool),
            None => dialect.text(),
        };
        response(200, &[("content-type", "text/event-stream")], body)
    })
}

/// Lets a client ask the model, and compares what the model got with what the user got.
fn asks(client: &str, dialect: Dialect, configure: impl Fn(&User, &str), words: &[&str]) {
    if !has(words[0]) {
        return;
    }
    let (user, model) = (User::new(), model(dialect));
    put(&user.path("My Notes/Log.md"), NOTE);
    configure(&user, &model.url(""));
    let vault = user.vault().display().to_string();
    let flags = ["--yes", "--name", "notes", "--vault", &vault, "--", "--surface", "flat"];
    let installed = with_clients(&user, &[&["install", client], &flags[..]].concat());
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let mut command = Command::new(programs().join(words[0]));
    command.args(&words[1..]).arg("What is in Log.md?").stdin(Stdio::null());
    command.envs(user.environment()).env("PATH", path());
    // A shell tells its programs the folder, too.
    command.current_dir(user.home()).env("PWD", user.home());
    command.env("ANTHROPIC_BASE_URL", model.url("")).env("ANTHROPIC_API_KEY", "none");
    command.env("GOOGLE_GEMINI_BASE_URL", model.url("")).env("GEMINI_API_KEY", "none");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("NO_PROXY", "127.0.0.1");
    let output = command.output().expect("the client runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let requests = model.requests();
    let answered: Vec<&ReceivedRequest> =
        requests.iter().filter(|request| request.text().contains(dialect.mark())).collect();
    assert!(output.status.success() && said.contains(ANSWER), "{client}: {output:?}");
    assert_eq!(answered.len(), 1, "{client}: {said}");
    assert!(answered[0].text().contains(NOTE), "{client}: {}", answered[0].text());
}

#[test]
fn claude_code_calls_a_tool() {
    let words = ["claude", "--allowedTools", "mcp__notes__vault_read", "-p"];
    asks("claude-code", Dialect::Messages, |_, _| {}, &words);
}

#[test]
fn codex_calls_a_tool() {
    let configure = |user: &User, url: &str| {
        let provider = format!(
            "[model_providers.script]\nname = \"script\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n"
        );
        let text = format!("model = \"m\"\nmodel_provider = \"script\"\n\n{provider}");
        put(&user.path(".codex/config.toml"), text);
    };
    let words = ["codex", "exec", "--skip-git-repo-check", "--sandbox", "read-only"];
    asks("codex", Dialect::Responses, configure, &words);
}

#[test]
fn gemini_cli_calls_a_tool() {
    let configure = |user: &User, _: &str| {
        // It starts servers only in folders that are trusted, and asks which account to use.
        let trusted = json!({ user.home().to_str().expect("a path"): "TRUST_FOLDER" });
        put(&user.path(".gemini/trustedFolders.json"), trusted.to_string());
        let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
        put(&user.path(".gemini/settings.json"), settings.to_string());
    };
    let words = ["gemini", "--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p"];
    asks("gemini", Dialect::Contents, configure, &words);
}

#[test]
fn opencode_calls_a_tool() {
    let configure = |user: &User, url: &str| {
        let options = json!({"baseURL": format!("{url}/v1"), "apiKey": "none"});
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "script", "options": options, "models": {"m": {"name": "m"}},
        });
        put(&user.path("opencode.json"), json!({"provider": {"script": provider}}).to_string());
    };
    asks("opencode", Dialect::Completions, configure, &["opencode", "run", "-m", "script/m"]);
}
