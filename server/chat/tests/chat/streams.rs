//! Answers as servers really send them: deviations from the APIs that people have reported, and recordings.

use std::path::Path;

use futures::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use toolwrit_chat::provider::{
    Dialect, Event, Message, Model, RemoteModel, RemoteModelOptions, Request, Stop,
};

use crate::answers::{Answer, serve};

/// An answer, and how it is to be read.
#[derive(Deserialize)]
struct Case {
    name: String,
    dialect: String,
    #[serde(default)]
    stream: String,
    says: String,
    /// The name of a tool and its arguments, each.
    calls: Vec<String>,
    ends: String,
}

/// What was read of an answer.
#[derive(Debug, PartialEq)]
struct Heard {
    says: String,
    calls: Vec<(String, Value)>,
    ends: String,
}

async fn heard(dialect: &str, stream: &str) -> Heard {
    let dialect: Dialect = dialect.parse().unwrap();
    let answer = match dialect {
        Dialect::Ollama => Answer::lines(&[]),
        _ => Answer::events(&[]),
    };
    let server = serve(&[Answer { body: stream.to_owned(), ..answer }]);
    let model = RemoteModel::new(RemoteModelOptions {
        name: "writer".to_owned(),
        dialect,
        model: "some-model".to_owned(),
        base_url: Some(server.url("/")),
        networks: Vec::new(),
        key: None,
        key_env: None,
        context: None,
        max_tokens: None,
        thinks: false,
        price: None,
    });
    let model = model.unwrap();
    let messages = vec![Message::User { text: "What?".to_owned(), images: Vec::new() }];
    let mut events = model.ask(Request { messages, tools: [].into() });
    let mut heard = Heard { says: String::new(), calls: Vec::new(), ends: "cut".to_owned() };
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Text(words)) => heard.says.push_str(&words),
            Ok(Event::Alive) => {}
            Ok(Event::End(end)) => {
                heard.calls =
                    end.calls.into_iter().map(|call| (call.name, call.arguments)).collect();
                let stop = match end.stop {
                    Stop::Finished if heard.calls.is_empty() => "finished",
                    Stop::Finished | Stop::Calls => "calls",
                    Stop::MaxTokens => "max_tokens",
                    Stop::Filtered(_) => "filtered",
                    Stop::Other(_) => "other",
                    Stop::Missing => "cut",
                };
                stop.clone_into(&mut heard.ends);
                // Of an answer that ended otherwise, no call is made.
                if stop != "calls" {
                    heard.calls.clear();
                }
            }
            Err(_) => {
                "error".clone_into(&mut heard.ends);
                heard.calls.clear();
            }
        }
    }
    heard
}

fn expected(case: &Case) -> Heard {
    let call = |call: &String| {
        let (name, arguments) = call.split_once(' ').unwrap();
        (name.to_owned(), serde_json::from_str(arguments).unwrap())
    };
    Heard {
        says: case.says.clone(),
        calls: case.calls.iter().map(call).collect(),
        ends: case.ends.clone(),
    }
}

fn cases(path: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/chat").join(path);
    serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Each has the report from which it is, and says whether the report quotes the answer or describes it.
#[tokio::test]
async fn deviations_are_read_as_they_are_meant() {
    let cases = cases("deviations.yaml");
    let mut wrong = Vec::new();
    for case in &cases {
        for stream in [case.stream.clone(), case.stream.replace('\n', "\r\n")] {
            let heard = heard(&case.dialect, &stream).await;
            if heard != expected(case) {
                wrong.push(format!("{}: {heard:?}\n  expected {:?}", case.name, expected(case)));
            }
        }
    }
    assert!(cases.len() >= 40 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn recordings_are_read_as_the_vendors_read_them() {
    let mut wrong = Vec::new();
    for case in cases("recordings/index.yaml") {
        let path = format!("tests/chat/recordings/{}.stream", case.name);
        let stream = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
        let mut heard = heard(&case.dialect, &stream.unwrap()).await;
        heard.says = heard.says.chars().take(80).collect();
        if heard != expected(&case) {
            wrong.push(format!("{}: {heard:?}\n  expected {:?}", case.name, expected(&case)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
