//! The operations of the engine under an authority that is loaded at run time, with ids of its own.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::{Observer, Recorder};
use toolwrit_core::authority::{
    Authority, Builtin, Category, Cookbook, Effect, Field, FocusMode, Name, Operation, Prompt,
    Returns, Role, Served, Tables, Type,
};
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::{Setup, Toolset};
use toolwrit_core::updates::Updates;

use crate::caller;

/// Handlers of operations that were not known when the program was built.
struct Loaded;

impl Toolset for Loaded {
    fn authority(&self) -> Authority {
        static NOTHING: Tables<'_> = Tables::EMPTY;
        Authority::of(&NOTHING)
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
    Authority::load(|arena| {
        let row = |id: &'static str, effect, builtin| Operation {
            id,
            name: id.split_once('.').map_or(id, |(_, name)| name),
            wire_name: id,
            effect,
            builtin,
            result_bytes: 1 << 16,
            ..Operation::BARE
        };
        let calls = Field {
            name: "calls",
            ty: &Type::Array { items: &Type::Json, min: 1, max: 20 },
            ..Field::REQUIRED
        };
        let (read, write) = (Effect::Read, Effect::Write);
        let operations = [
            row("site.about", read, Some(Builtin::Introspect)),
            row("site.guides", read, Some(Builtin::ListCookbooks)),
            row("site.many", read, Some(Builtin::BatchGet)),
            row("site.post", read, None),
            row("site.publish", write, None),
        ];
        let role = Field { name: "role", ..Field::REQUIRED };
        let with_inputs = |own: Operation<'static>| match own.builtin {
            Some(Builtin::BatchGet) => Operation { inputs: arena.list([calls]), ..own },
            Some(Builtin::LoadRole) => Operation { inputs: arena.list([role]), ..own },
            _ => own,
        };
        let served_prompt = Operation {
            served: Served::Prompt(0),
            returns: Returns::Messages,
            ..row("prompts.posting", read, None)
        };
        let role_loaded = row("site.role", read, Some(Builtin::LoadRole));
        let photo = Operation {
            returns: Returns::Object("{}"),
            returns_tool_result: true,
            ..row("site.photo", read, None)
        };
        let operations = operations.into_iter().chain([served_prompt, role_loaded, photo]);
        let names =
            [(5, "prompts.posting"), (0, "site.about"), (1, "site.guides"), (2, "site.many")];
        let names = names.into_iter().chain([
            (7, "site.photo"),
            (3, "site.post"),
            (4, "site.publish"),
            (6, "site.role"),
        ]);
        let names = names.map(|(operation, name)| Name { name, operation, alias: None });
        let all: &[u64] = arena.list([0b1111_1111]);
        let role = |name: &'static str, persona: &'static str| Role {
            name,
            summary: None,
            persona: Some(persona),
            operations: all,
            joining: &[],
            added: 7,
        };
        let roles = [role("owner", "Decide."), role("author", "Write well.")];
        Tables {
            categories: arena.list([Category {
                name: "site",
                title: "Site",
                summary: "Posts.",
                keywords: &[],
                wire_name: "site",
                direct: false,
            }]),
            operations: arena.list(operations.map(with_inputs)),
            prompts: arena.list([Prompt {
                name: "posting",
                title: None,
                description: None,
                arguments: None,
                template: None,
                operation: 5,
            }]),
            names: arena.list(names),
            focus: arena.list([FocusMode { name: "full", summary: None, joining: &[], added: 7 }]),
            roles: arena.list(roles),
            policy: arena.list([arena.list([all, all])]),
            cookbooks: arena.list([Cookbook {
                name: "posting",
                summary: "Post well.",
                text: "# Post\n",
                operations: arena.list([3u16]),
                prompt: 5,
            }]),
            ..Tables::EMPTY
        }
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
