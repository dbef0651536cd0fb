//! Models behind servers on this machine, in the dialect of each provider.

use std::sync::Arc;

use futures::StreamExt;
use serde_json::{Value, json};
use toolwrit_chat::conversation::{Ended, TurnOptions};
use toolwrit_chat::provider::{Dialect, Model, RemoteModel, RemoteModelOptions, Request};
use toolwrit_chat::tools::Tool;
use toolwrit_test_servers::http::ReceivedRequest;

use crate::answers::{Answer, KEY, model, serve};
use crate::desk::Desk;

pub(crate) const DIALECTS: [Dialect; 10] = Dialect::ALL;

/// A response with the words `I'll look.` and two calls.
fn calls(dialect: Dialect) -> Answer {
    match dialect {
        Dialect::OpenAi
        | Dialect::Azure
        | Dialect::OpenRouter
        | Dialect::DeepSeek
        | Dialect::Grok
        | Dialect::Mistral => Answer::done(&[
            chunk(&json!({ "role": "assistant", "content": "I'll " }), None),
            chunk(&json!({ "content": "look." }), None),
            chunk(
                &json!({ "tool_calls": [
                { "index": 0, "id": "call_1", "type": "function", "function": { "name": "vault_search", "arguments": "{\"path\":" } },
                { "index": 1, "id": "call_2", "type": "function", "function": { "name": "vault_read", "arguments": "" } },
            ] }),
                None,
            ),
            chunk(
                &json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "\"a\"}" } }, { "index": 1, "function": { "arguments": "{\"path\":\"b\"}" } }] }),
                None,
            ),
            chunk(&json!({}), Some("tool_calls")),
            json!({ "id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [], "usage": { "prompt_tokens": 812, "completion_tokens": 96, "total_tokens": 908 } }),
        ]),
        Dialect::OpenAiResponses => {
            let call = |index: u32, id: &str, name: &str, path: &str| json!({ "type": "function_call", "id": format!("fc_{index}"), "call_id": id, "name": name, "arguments": json!({ "path": path }).to_string(), "status": "completed" });
            let (first, second) =
                (call(1, "call_1", "vault_search", "a"), call(2, "call_2", "vault_read", "b"));
            Answer::events(&[
                json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "I'll look." }),
                json!({ "type": "response.output_item.added", "output_index": 1, "item": { "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "vault_search", "arguments": "", "status": "in_progress" } }),
                json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": "{\"path\":\"a\"}" }),
                json!({ "type": "response.output_item.done", "output_index": 1, "item": first }),
                json!({ "type": "response.output_item.added", "output_index": 2, "item": { "type": "function_call", "id": "fc_2", "call_id": "call_2", "name": "vault_read", "arguments": "", "status": "in_progress" } }),
                json!({ "type": "response.function_call_arguments.delta", "item_id": "fc_2", "output_index": 2, "delta": "{\"path\":\"b\"}" }),
                json!({ "type": "response.output_item.done", "output_index": 2, "item": second }),
                json!({ "type": "response.completed", "response": { "id": "r", "model": "m", "status": "completed", "output": [first, second], "usage": { "input_tokens": 812, "output_tokens": 96, "total_tokens": 908 } } }),
            ])
        }
        Dialect::Anthropic => {
            let mut events = vec![
                json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant", "content": [], "model": "c", "stop_reason": null, "usage": { "input_tokens": 812, "output_tokens": 1 } } }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": "c2lnbmVk" } }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "text_delta", "text": "I'll look." } }),
                json!({ "type": "content_block_stop", "index": 1 }),
            ];
            for (index, name, path) in [(2, "vault_search", "a"), (3, "vault_read", "b")] {
                events.push(json!({ "type": "content_block_start", "index": index, "content_block": { "type": "tool_use", "id": format!("toolu_{index}"), "name": name, "input": {} } }));
                events.push(json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": json!({ "path": path }).to_string() } }));
                events.push(json!({ "type": "content_block_stop", "index": index }));
            }
            events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 96 } }));
            events.push(json!({ "type": "message_stop" }));
            Answer::events(&events)
        }
        Dialect::Gemini => Answer::events(&[json!({
            "candidates": [{ "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": [
                { "text": "I'll look." },
                { "functionCall": { "name": "vault_search", "args": { "path": "a" } }, "thoughtSignature": "c2lnbmVk" },
                { "functionCall": { "name": "vault_read", "args": { "path": "b" } } },
            ] } }],
            "usageMetadata": { "promptTokenCount": 812, "candidatesTokenCount": 96, "totalTokenCount": 908 },
        })]),
        Dialect::Ollama => Answer::lines(&[
            json!({ "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "I'll look." }, "done": false }),
            json!({ "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "", "tool_calls": [
                { "function": { "name": "vault_search", "arguments": { "path": "a" } } },
                { "function": { "name": "vault_read", "arguments": { "path": "b" } } },
            ] }, "done": false }),
            json!({ "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop", "prompt_eval_count": 812, "eval_count": 96 }),
        ]),
    }
}

/// A response with the words `Only Audit.`
fn answer(dialect: Dialect) -> Answer {
    match dialect {
        Dialect::OpenAi
        | Dialect::Azure
        | Dialect::OpenRouter
        | Dialect::DeepSeek
        | Dialect::Grok
        | Dialect::Mistral => Answer::done(&[
            chunk(&json!({ "content": "Only Audit." }), None),
            chunk(&json!({}), Some("stop")),
        ]),
        Dialect::OpenAiResponses => Answer::events(&[
            json!({ "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "Only Audit." }),
            json!({ "type": "response.completed", "response": { "id": "r", "model": "m", "status": "completed", "output": [], "usage": { "input_tokens": 1, "output_tokens": 2, "total_tokens": 3 } } }),
        ]),
        Dialect::Anthropic => Answer::events(&[
            json!({ "type": "message_start", "message": { "id": "m", "type": "message", "role": "assistant", "content": [], "model": "c", "stop_reason": null, "usage": { "input_tokens": 1, "output_tokens": 1 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Only Audit." } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 2 } }),
            json!({ "type": "message_stop" }),
        ]),
        Dialect::Gemini => Answer::events(&[
            json!({ "candidates": [{ "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": [{ "text": "Only Audit." }] } }] }),
        ]),
        Dialect::Ollama => Answer::lines(&[
            json!({ "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "Only Audit." }, "done": false }),
            json!({ "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop" }),
        ]),
    }
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// A conversation of two rounds with calls, and the requests of it.
pub(crate) async fn converse(dialect: Dialect) -> (Desk, Vec<ReceivedRequest>) {
    let server = serve(&[calls(dialect), answer(dialect)]);
    let desk = Desk::with("Which notes mention the audit?\n");
    let model: Arc<dyn Model> = model(dialect, &server.url("/"));
    let ended = desk.conversation(model).turn(TurnOptions::default()).await.unwrap();
    assert_eq!(ended, Ended::Answered, "{dialect:?}: {}", desk.text());
    (desk, server.requests())
}

#[tokio::test]
async fn each_dialect_calls_and_answers() {
    for dialect in DIALECTS {
        let (desk, received) = converse(dialect).await;
        let text = desk.text();
        assert_eq!(
            desk.tools.made(),
            ["vault.search {\"path\":\"a\"}", "vault.read {\"path\":\"b\"}"],
            "{dialect:?}"
        );
        assert!(
            text.contains("> I'll look.\n") && text.contains("> Only Audit.\n"),
            "{dialect:?}: {text}"
        );
        assert!(text.contains("812+96 tokens, 0.0039 USD, "), "{dialect:?}: {text}");
        assert_eq!(received.len(), 2, "{dialect:?}");
        for request in &received {
            let keys: Vec<_> =
                request.headers.iter().filter(|(_, value)| value.contains(KEY)).collect();
            assert!(
                keys.len() <= 1 && !request.target.contains(KEY) && !request.text().contains(KEY),
                "{dialect:?}"
            );
        }
        assert!(!text.contains(KEY) && !text.contains("c2lnbmVk"), "{dialect:?}");
        if matches!(dialect, Dialect::Anthropic | Dialect::Gemini) {
            assert!(received[1].text().contains("c2lnbmVk"), "{dialect:?}: {}", received[1].text());
        }
        insta::with_settings!({ filters => vec![("a{6}[a-z0-9]{3}", "(id)")] }, {
            let same_as = match dialect {
                Dialect::Azure | Dialect::OpenRouter | Dialect::DeepSeek | Dialect::Grok => Dialect::OpenAi,
                other => other,
            };
            insta::assert_snapshot!(format!("request-{}", same_as.name()), serde_json::to_string_pretty(&received[1].json()).unwrap());
        });
    }
}

#[tokio::test]
async fn nothing_runs_of_a_stream_that_was_cut() {
    for dialect in DIALECTS {
        let whole = calls(dialect);
        // Everything but the last event, and a cut in the middle of an argument.
        let frames: Vec<&str> = whole
            .body
            .split_inclusive(if dialect == Dialect::Ollama { "\n" } else { "\n\n" })
            .collect();
        let mut cuts: Vec<String> = (1..frames.len()).map(|kept| frames[..kept].concat()).collect();
        cuts.push(whole.body.split("\"path").next().unwrap().to_owned());
        for body in cuts {
            let server = serve(&[Answer { body: body.clone(), ..whole.clone() }]);
            let mut desk = Desk::with("What?\n");
            desk.settings.limits.retries = 0;
            let ended = desk
                .conversation(model(dialect, &server.url("/")))
                .turn(TurnOptions::default())
                .await
                .unwrap();
            assert!(desk.tools.made().is_empty(), "{dialect:?} {ended:?} after {body}");
            assert!(matches!(ended, Ended::Failed(_)), "{dialect:?} {ended:?} after {body}");
        }
    }
}

#[tokio::test]
async fn failures_of_providers_are_told_without_keys() {
    for dialect in DIALECTS {
        let refused = Answer::failed(401, &format!("the key {KEY} is wrong"));
        let server = serve(&[refused]);
        let desk = Desk::with("What?\n");
        let ended = desk
            .conversation(model(dialect, &server.url("/")))
            .turn(TurnOptions::default())
            .await
            .unwrap();
        let Ended::Failed(message) = ended else { panic!("{dialect:?}: {ended:?}") };
        assert!(
            message.contains("401") && message.contains("(key)") && !desk.text().contains(KEY),
            "{dialect:?}: {message}"
        );
        assert_eq!(server.requests().len(), 1, "{dialect:?}: what stays wrong is not tried again");

        let busy = Answer::failed(429, "busy").with_header("retry-after", "0");
        let server = serve(&[busy.clone(), busy, answer(dialect)]);
        let desk = Desk::with("What?\n");
        let ended = desk
            .conversation(model(dialect, &server.url("/")))
            .turn(TurnOptions::default())
            .await
            .unwrap();
        assert_eq!((ended, server.requests().len()), (Ended::Answered, 3), "{dialect:?}");

        let elsewhere = serve(&[answer(dialect)]);
        let server =
            serve(&[Answer::failed(307, "moved").with_header("location", &elsewhere.url("/"))]);
        let desk = Desk::with("What?\n");
        let ended = desk
            .conversation(model(dialect, &server.url("/")))
            .turn(TurnOptions::default())
            .await
            .unwrap();
        assert!(matches!(ended, Ended::Failed(_)), "{dialect:?}: {ended:?}");
        assert!(elsewhere.requests().is_empty(), "the key goes to no other host");
    }
}

#[tokio::test]
async fn failures_name_the_model_of_the_configuration_and_say_what_to_check() {
    let page = |media_type: &str, body: &str| Answer::ok(media_type, body.to_owned());
    let memory = json!({ "error": "the model needs more memory" });
    let cases = [
        (
            Dialect::OpenAi,
            None,
            "the model writer cannot be reached at http://127.0.0.1:9/v1/: Connection refused",
        ),
        (
            Dialect::OpenAi,
            Some(Answer::failed(401, "No such key.")),
            "the model writer answered 401 Unauthorized: No such key. The environment variable WRITER_KEY has its key.",
        ),
        (
            Dialect::Ollama,
            Some(Answer::failed(400, "registry.ollama.ai/library/tiny does not support tools")),
            "does not support tools. `chat-tools: []` in the note offers it none",
        ),
        (
            Dialect::OpenAi,
            Some(page("text/html", "<html>Sign in</html>")),
            "is not the API of the model writer.",
        ),
        (
            Dialect::Anthropic,
            Some(page("application/json", "{\"ok\":true}")),
            "Check its `base_url`",
        ),
        (Dialect::Ollama, Some(page("text/html", "<html>Sign in</html>")), "Check its `base_url`"),
        (
            Dialect::Ollama,
            Some(Answer::lines(&[memory])),
            "the model writer answered an error: the model needs more memory",
        ),
        (
            Dialect::Gemini,
            Some(Answer { status: 502, ..page("text/html", "<html>nginx</html>") }),
            "502 Bad Gateway: a page of HTML",
        ),
    ];
    for (dialect, answer, expected) in cases {
        let server = answer.map(|answer| serve(&[answer]));
        let base =
            server.as_ref().map_or("http://127.0.0.1:9/".to_owned(), |server| server.url("/"));
        let mut desk = Desk::with("What?\n");
        desk.settings.limits.retries = 0;
        let ended = desk.conversation(model(dialect, &base)).turn(TurnOptions::default()).await;
        let Ok(Ended::Failed(message)) = ended else { panic!("{dialect:?}: {ended:?}") };
        assert!(message.contains(expected), "{dialect:?}: {message}");
    }
}

#[tokio::test]
async fn tools_are_sent_as_the_provider_accepts_them() {
    let ask = async |tools: Vec<Tool>| {
        let server = serve(&[answer(Dialect::OpenAi)]);
        let model = model(Dialect::OpenAi, &server.url("/"));
        let events: Vec<_> =
            model.ask(Request { messages: vec![], tools: tools.into() }).collect().await;
        (events, server.requests())
    };
    let tool = |name: &str, description: &str| Tool::new(name, description, json!({}));
    let (_, received) = ask(vec![tool("a", &"long ".repeat(500))]).await;
    let body = received[0].json();
    let sent = body["tools"][0]["function"]["description"].as_str().unwrap();
    assert_eq!((sent.chars().count(), sent.ends_with('…')), (1024, true));
    for tools in [
        (0..129).map(|number| tool(&format!("a{number}"), "A tool.")).collect(),
        vec![tool("1", "A tool.")],
    ] {
        let (events, received) = ask(tools).await;
        let Some(Err(error)) = events.first() else { panic!("{events:?}") };
        assert!(error.message.contains("openai accepts") && !error.retryable, "{error}");
        assert!(received.is_empty());
    }
}

#[test]
fn addresses_where_others_could_read_the_key_are_refused() {
    let options = |base: Option<&str>, dialect| RemoteModelOptions {
        name: "writer".to_owned(),
        dialect,
        model: "m".to_owned(),
        base_url: base.map(str::to_owned),
        networks: Vec::new(),
        key: Some(KEY.to_owned()),
        key_env: None,
        context: None,
        max_tokens: None,
        thinks: false,
        price: None,
    };
    let refused_for = |base: Option<&str>, dialect| {
        RemoteModel::new(options(base, dialect)).err().map(|error| error.to_string())
    };
    let refused = |base: &str| refused_for(Some(base), Dialect::OpenAi);
    for dialect in DIALECTS {
        let refusal = refused_for(None, dialect);
        assert_eq!(refusal.is_some(), dialect == Dialect::Azure, "{refusal:?}");
    }
    for dialect in DIALECTS {
        let without = RemoteModelOptions { key: None, ..options(None, dialect) };
        let refusal = RemoteModel::new(without).err();
        assert_eq!(refusal.is_some(), dialect != Dialect::Ollama, "{dialect:?}: {refusal:?}");
    }
    for fine in
        ["https://ok.example/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/", "http://localhost/"]
    {
        assert_eq!(refused(fine), None);
    }
    let private = ["http://192.168.1.100:11434", "http://[fd00::1]:11434", "http://ollama.lan/"];
    for base in private {
        // Nothing is sent there that must not be read; a key is.
        let keyless = RemoteModelOptions { key: None, ..options(Some(base), Dialect::Ollama) };
        assert!(RemoteModel::new(keyless).is_ok(), "{base}");
        assert!(refused_for(Some(base), Dialect::Ollama).is_some(), "{base}");
        let keyless = RemoteModelOptions { key: None, ..options(Some(base), Dialect::OpenAi) };
        assert!(RemoteModel::new(keyless).is_err(), "{base}");
        let networks = ["192.168.0.0/16", "fd00::/8"].map(|text| text.parse().unwrap()).to_vec();
        let named = RemoteModelOptions { networks, ..options(Some(base), Dialect::OpenAi) };
        assert!(RemoteModel::new(named).is_ok(), "{base}");
    }
    for public in ["http://8.8.8.8/", "http://[2a00:1450::1]/", "http://169.254.169.254/"] {
        let keyless = RemoteModelOptions { key: None, ..options(Some(public), Dialect::Ollama) };
        assert!(RemoteModel::new(keyless).is_err(), "{public}");
    }
    for public in ["http://8.8.8.8/", "http://[2a00:1450::1]/"] {
        let networks = ["0.0.0.0/0", "::/0"].map(|text| text.parse().unwrap()).to_vec();
        let named = RemoteModelOptions { networks, ..options(Some(public), Dialect::OpenAi) };
        assert!(RemoteModel::new(named).is_err(), "{public}");
    }
    let shown: Vec<String> = [
        "http://ok.example/v1",
        "http://127.0.0.1.evil.example/",
        "https://user:key@ok.example/",
        "ftp://ok.example/",
        "nonsense",
    ]
    .iter()
    .map(|base| refused(base).unwrap())
    .collect();
    insta::assert_snapshot!(shown.join("\n"));
    insta::assert_snapshot!("antropic".parse::<Dialect>().unwrap_err());
}
