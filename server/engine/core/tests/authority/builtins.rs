//! The operations of the engine under an authority that is loaded at run time, with ids of its own.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::{Observer, Recorder};
use toolwrit_core::authority::{
    Authority, Builtin, Cookbook, Effect, Field, Operation, Presence, Prompt, Returns, Role,
    Served, Tables, Type,
};
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::{Setup, Toolset};
use toolwrit_core::updates::Updates;

use crate::caller;
use crate::rows::{category, focus, name, operation, role};

/// Handlers of operations that were not known when the program was built.
struct Loaded;

impl Toolset for Loaded {
    fn authority(&self) -> Authority {
        Authority::new(Tables::empty())
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        unreachable!("no operation is known at compile time")
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        _: &'a Context,
        _: Map<String, Value>,
    ) -> RunningHandler<'a> {
        let result = if id == "site.photo" { photo() } else { json!({ "ran": id }) };
        RunningHandler::new(Box::new(std::future::ready(Ok(result))))
    }
}

/// What a tool of another server answers.
fn photo() -> Value {
    let image = json!({"type": "image", "data": "A".repeat(1000), "mimeType": "image/png"});
    json!({"content": [image], "structuredContent": {"width": 3}})
}

fn loaded() -> Authority {
    let row = |id: &str, effect, builtin, inputs: Vec<Field>| Operation {
        effect,
        builtin,
        inputs,
        result_bytes: 1 << 16,
        ..operation(id, id)
    };
    let calls = Type::Array { items: Box::new(Type::Json), min: 1, max: 20 };
    let calls = Field::new("calls", calls, Presence::Required);
    let role_name = Field::new("role", Type::Json, Presence::Required);
    let (read, write) = (Effect::Read, Effect::Write);
    let served_prompt = Operation {
        served: Served::Prompt(0),
        returns: Returns::Messages,
        ..row("prompts.posting", read, None, Vec::new())
    };
    let photo = Operation {
        returns: Returns::Object("{}".to_owned()),
        returns_tool_result: true,
        ..row("site.photo", read, None, Vec::new())
    };
    let operations = [
        row("site.about", read, Some(Builtin::Introspect), Vec::new()),
        row("site.guides", read, Some(Builtin::ListCookbooks), Vec::new()),
        row("site.many", read, Some(Builtin::BatchGet), vec![calls]),
        row("site.post", read, None, Vec::new()),
        row("site.publish", write, None, Vec::new()),
        served_prompt,
        row("site.role", read, Some(Builtin::LoadRole), vec![role_name]),
        photo,
    ];
    let names = [
        name("prompts.posting", 5),
        name("site.about", 0),
        name("site.guides", 1),
        name("site.many", 2),
        name("site.photo", 7),
        name("site.post", 3),
        name("site.publish", 4),
        name("site.role", 6),
    ];
    let all = 0b1111_1111;
    let person = |name: &str, persona: &str| Role {
        persona: Some(persona.to_owned()),
        ..role(name, all, &[], 7)
    };
    Authority::new(Tables {
        categories: Arc::new([category("site", "Site", "Posts.")]),
        operations: operations.map(Arc::new).into_iter().collect(),
        prompts: Arc::new([Prompt {
            name: "posting".to_owned(),
            title: None,
            description: None,
            arguments: None,
            template: None,
            operation: 5,
        }]),
        names: Arc::new(names),
        focus: Arc::new([focus(&[], 7)]),
        roles: Arc::new([person("owner", "Decide."), person("author", "Write well.")]),
        policy: Arc::new([vec![vec![all], vec![all]]]),
        cookbooks: Arc::new([Cookbook {
            name: "posting".to_owned(),
            summary: "Post well.".to_owned(),
            text: "# Post\n".to_owned(),
            operations: vec![3],
            prompt: 5,
        }]),
        ..Tables::empty()
    })
}

async fn call(pipeline: &Pipeline, name: &str, arguments: Value) -> Result<Value> {
    let policy = Policy::new(loaded(), &Choice::default()).unwrap();
    caller::call(pipeline, caller::caller(policy), name, arguments).await
}

fn pipeline() -> Pipeline {
    recorded_by(Recorder::default())
}

fn recorded_by(recorder: Recorder) -> Pipeline {
    let (settings, updates) = (CallSettings::default(), Updates::default());
    let setup = Setup::new().facts(|| Map::from_iter([("posts".to_owned(), json!(3))]));
    Pipeline::new(Arc::new(Loaded), Arc::new(setup), Arc::default(), &settings, recorder, updates)
}

/// Keeps the bytes of the results.
#[derive(Default)]
struct BytesOut(Mutex<Vec<usize>>);

impl Observer for BytesOut {
    fn ended(&self, record: &Record) {
        self.0.lock().unwrap().push(record.bytes_out);
    }
}

#[tokio::test]
async fn they_need_no_handler() {
    let pipeline = pipeline();
    let about = call(&pipeline, "site.about", json!({})).await.unwrap();
    assert_eq!((&about["operations"]["read"], &about["posts"]), (&json!(6), &json!(3)));
    let guides = call(&pipeline, "site.guides", json!({})).await.unwrap();
    assert_eq!(guides["cookbooks"][0]["operations"], json!(["site.post"]));
    let messages = call(&pipeline, "prompts.posting", json!({})).await.unwrap();
    assert_eq!(messages[0]["content"]["text"], "# Post\n");
}

#[tokio::test]
async fn a_batch_runs_the_reads_of_the_authority() {
    let calls = json!({"calls": [
        {"tool": "site.post"}, {"tool": "site.publish"}, {"tool": "site.none"}, {"tool": "site.many"},
    ]});
    let answer = call(&pipeline(), "site.many", calls).await.unwrap();
    assert_eq!(answer["results"][0], json!({"tool": "site.post", "result": {"ran": "site.post"}}));
    let codes = [1, 2, 3].map(|at| answer["results"][at]["error"]["code"].clone());
    assert_eq!(codes, ["VALIDATION_ERROR", "TOOL_NOT_FOUND", "VALIDATION_ERROR"]);
}

/// The role in force stays the first, because the other one allows as much.
#[tokio::test]
async fn a_role_that_allows_as_much_has_its_own_persona() {
    let author = call(&pipeline(), "site.role", json!({"role": "author"})).await.unwrap();
    assert_eq!((&author["name"], &author["persona"]), (&json!("author"), &json!("Write well.")));
}

#[tokio::test]
async fn the_audit_counts_content_beside_a_structured_result() {
    let sizes = Arc::new(BytesOut::default());
    let pipeline = recorded_by(Recorder::default().observed_by(sizes.clone()));
    assert_eq!(call(&pipeline, "site.photo", json!({})).await.unwrap(), json!({"width": 3}));
    let mut photo = photo();
    let sent = [photo["content"].take(), photo["structuredContent"].take()];
    let bytes: usize = sent.iter().map(|value| value.to_string().len()).sum();
    assert_eq!(*sizes.0.lock().unwrap(), [bytes]);
}
