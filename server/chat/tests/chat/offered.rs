//! The models that endpoints offer, and whether a conversation fits into the context of its model.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwrit_chat::conversation::{Ended, TurnOptions};
use toolwrit_chat::provider::{Dialect, OfferedModel, RemoteModel, RemoteModelOptions};
use toolwrit_test_servers::http::{HttpServer, json_response};

use crate::answers::{Answer, KEY, model, options, serve};
use crate::desk::Desk;

/// What an endpoint answers to a path with its query.
type Page = (&'static str, Value);

/// The pages of an endpoint, as its documentation has them.
pub(crate) fn pages(dialect: Dialect) -> Vec<Page> {
    let openai = |name: &str, more: Value| {
        let mut entry =
            json!({ "id": name, "object": "model", "created": 1_700_000_000, "owned_by": "x" });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "object": "list", "data": [entry] })
    };
    let anthropic = |name: &str, context: Option<u64>, more: bool| {
        let entry = json!({
            "type": "model", "id": name, "display_name": name, "created_at": "2026-02-19T00:00:00Z",
            "lifecycle": "active", "max_input_tokens": context,
        });
        json!({ "data": [entry], "has_more": more, "first_id": name, "last_id": name })
    };
    let gemini = |name: &str, context: u64, method: &str| {
        json!({
            "name": format!("models/{name}"), "displayName": name, "inputTokenLimit": context,
            "supportedGenerationMethods": [method],
        })
    };
    match dialect {
        Dialect::Anthropic => vec![
            ("/v1/models?limit=1000", anthropic("claude-b", Some(1_000_000), true)),
            ("/v1/models?limit=1000&after_id=claude-b", anthropic("claude-a", None, false)),
        ],
        Dialect::Gemini => {
            let first = [
                gemini("gemini-b", 1_048_576, "generateContent"),
                gemini("embedding", 2048, "embedContent"),
            ];
            let second = [gemini("gemini-a", 32_768, "generateContent")];
            vec![
                (
                    "/v1beta/models?pageSize=1000",
                    json!({ "models": first, "nextPageToken": "a b" }),
                ),
                ("/v1beta/models?pageSize=1000&pageToken=a+b", json!({ "models": second })),
            ]
        }
        Dialect::Ollama => vec![
            (
                "/api/tags",
                json!({ "models": [{ "name": "qwen3:latest", "model": "qwen3:latest", "size": 5_200_000_000_u64 }] }),
            ),
            (
                "/api/show",
                json!({ "details": {}, "model_info": { "general.architecture": "qwen3", "qwen3.context_length": 40_960 } }),
            ),
        ],
        // The length of the context as OpenRouter, Mistral, vLLM, Groq and llama.cpp name it.
        Dialect::OpenRouter => {
            vec![("/v1/models", openai("m", json!({ "context_length": 8_192 })))]
        }
        Dialect::Mistral => {
            vec![("/v1/models", openai("m", json!({ "max_context_length": 8_192 })))]
        }
        Dialect::Grok => vec![("/v1/models", openai("m", json!({ "max_model_len": 8_192 })))],
        Dialect::DeepSeek => vec![("/v1/models", openai("m", json!({ "context_window": 8_192 })))],
        Dialect::Azure => {
            vec![("/v1/models", openai("m", json!({ "meta": { "n_ctx_train": 8_192 } })))]
        }
        Dialect::OpenAi | Dialect::OpenAiResponses => vec![("/v1/models", openai("m", json!({})))],
    }
}

fn endpoint(pages: Vec<Page>) -> HttpServer {
    HttpServer::answering(move |request| {
        let line = request.line();
        match pages.iter().find(|(path, _)| line.split(' ').nth(1) == Some(*path)) {
            Some((_, page)) => json_response(200, page),
            None => json_response(404, &json!({ "error": { "message": request.path() } })),
        }
    })
}

/// The models that an endpoint with these pages offers.
pub(crate) async fn offered(dialect: Dialect) -> Vec<OfferedModel> {
    let server = endpoint(pages(dialect));
    let offered = model(dialect, &server.url("/")).offered().await.unwrap();
    assert!(server.requests().iter().all(|request| {
        ["authorization", "x-api-key", "x-goog-api-key"]
            .iter()
            .any(|name| request.header(name).is_some_and(|value| value.ends_with(KEY)))
    }));
    offered
}

#[tokio::test]
async fn each_dialect_lists_its_models() {
    let named = |name: &str, context: Option<u64>| OfferedModel { name: name.to_owned(), context };
    for dialect in Dialect::ALL {
        let expected = match dialect {
            Dialect::Anthropic => vec![named("claude-a", None), named("claude-b", Some(1_000_000))],
            Dialect::Gemini => {
                vec![named("gemini-a", Some(32_768)), named("gemini-b", Some(1_048_576))]
            }
            Dialect::Ollama => vec![named("qwen3:latest", Some(40_960))],
            Dialect::OpenAi | Dialect::OpenAiResponses => vec![named("m", None)],
            _ => vec![named("m", Some(8_192))],
        };
        assert_eq!(offered(dialect).await, expected, "{dialect:?}");
    }
}

#[tokio::test]
async fn an_endpoint_without_a_list_says_what_it_answered() {
    let lists = [
        (Answer::failed(404, "no such path"), "404 Not Found: no such path"),
        (
            Answer::failed(401, "wrong key"),
            "401 Unauthorized: wrong key. The environment variable WRITER_KEY",
        ),
        (Answer::ok("text/html", "<html></html>".to_owned()), "is not the API"),
        (Answer::ok("application/json", "x".repeat(9 << 20)), "more than 8 MiB"),
    ];
    for (answer, expected) in lists {
        let server = serve(&[answer]);
        let error = model(Dialect::OpenAi, &server.url("/")).offered().await.unwrap_err();
        assert!(error.message.contains(expected), "{}, expected {expected}", error.message);
    }
}

/// A turn with an Ollama server that describes its model: how it ended, and the options of its request.
async fn turn(text: &str, context: Option<u32>, described: Value) -> (Ended, Option<Value>) {
    let server = HttpServer::answering(move |request| {
        if request.path() == "/api/show" {
            return json_response(200, &described);
        }
        let message = json!({ "role": "assistant", "content": "Yes." });
        json_response(200, &json!({ "message": message, "done": true, "done_reason": "stop" }))
    });
    let desk = Desk::with(text);
    let options = RemoteModelOptions { context, ..options(Dialect::Ollama, &server.url("/")) };
    let model = Arc::new(RemoteModel::new(options).unwrap());
    let ended = desk.conversation(model).turn(TurnOptions::default()).await;
    let requests = server.requests();
    let asked = requests.iter().find(|request| request.path() == "/api/chat");
    (ended.unwrap(), asked.map(|request| request.json()["options"]["num_ctx"].clone()))
}

/// Ollama cuts what is longer than the room that it was told to make, and says nothing.
#[tokio::test]
async fn ollama_makes_room_for_the_conversation_or_it_is_refused() {
    let described = json!({ "model_info": { "qwen3.context_length": 40_960 } });
    let cases = [
        (10, None, Some(Value::Null)),
        (10, Some(8_192), Some(json!(8_192))),
        (30_000, None, Some(json!(16_384))),
        (110_000, None, Some(json!(40_960))),
        (300_000, None, None),
        (60_000, Some(8_192), None),
    ];
    for (bytes, context, expected) in cases {
        let text = format!("{}\n", "word ".repeat(bytes / 5));
        let (ended, asked) = turn(&text, context, described.clone()).await;
        assert_eq!(asked, expected, "{bytes} bytes, {context:?}: {ended:?}");
        match (ended, expected) {
            (Ended::Answered, Some(_)) => {}
            (Ended::Failed(why), None) => {
                assert!(why.contains("the context of the model writer is"), "{why}");
            }
            (ended, _) => panic!("{bytes} bytes: {ended:?}"),
        }
    }
    // A server that describes nothing gets what is needed.
    let (_, asked) = turn(&format!("{}\n", "word ".repeat(60_000)), None, json!({})).await;
    assert_eq!(asked, Some(json!(131_072)));
}
