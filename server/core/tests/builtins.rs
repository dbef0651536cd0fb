//! The operations of the engine under an authority that is loaded at run time, with ids of its own.
#![allow(missing_docs, reason = "a test binary has no public items")]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_core::arg_value::ArgValues;
use toolwrit_core::audit_arguments::AuditArguments;
use toolwrit_core::authority::{
    Authority, Builtin, Category, Cookbook, Effect, Field, FocusMode, Name, Operation, Prompt,
    Returns, Role, Served, Tables, Type,
};
use toolwrit_core::call::{Call, Caller};
use toolwrit_core::context::Context;
use toolwrit_core::dialogue::{Dialogue, Interrupt};
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::principal::Principal;
use toolwrit_core::recorder::Recorder;
use toolwrit_core::reports::Reports;
use toolwrit_core::toolset::{RunningHandler, Toolset};
use toolwrit_core::updates::Updates;

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
        RunningHandler::new(Box::new(std::future::ready(Ok(json!({ "ran": id })))))
    }

    fn facts(&self) -> Map<String, Value> {
        Map::from_iter([("posts".to_owned(), json!(3))])
    }
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
        let prompt = row("prompts.posting", read, None);
        let operations = operations.map(|own| match own.builtin {
            Some(Builtin::BatchGet) => Operation { inputs: arena.list([calls]), ..own },
            _ => own,
        });
        let names =
            [(5, "prompts.posting"), (0, "site.about"), (1, "site.guides"), (2, "site.many")];
        let names = names.into_iter().chain([(3, "site.post"), (4, "site.publish")]);
        let names = names.map(|(operation, name)| Name { name, operation, alias: None });
        let all: &[u64] = arena.list([0b11_1111]);
        let roles = [Role {
            name: "owner",
            summary: None,
            persona: None,
            operations: all,
            joining: &[],
            added: 7,
        }];
        Tables {
            categories: arena.list([Category {
                name: "site",
                title: "Site",
                summary: "Posts.",
                keywords: &[],
                wire_name: "site",
                direct: false,
            }]),
            operations: arena.list(operations.into_iter().chain([Operation {
                served: Served::Prompt(0),
                returns: Returns::Messages,
                ..prompt
            }])),
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
            policy: arena.list([arena.list([all])]),
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
    let caller = Caller {
        policy: Arc::new(policy),
        principal: Principal::default(),
        attributes: None,
        client: None,
        request_id: None,
        session: None,
        surface: None,
        idempotency_key: None,
        trace: None,
        audit_arguments: AuditArguments::default(),
        dialogue: Dialogue::default(),
        cancellation: CancellationToken::new(),
        reports: Reports::default(),
        is_nested: false,
    };
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let call = Call { name: name.to_owned(), arguments, bytes: 0, caller: Box::new(caller) };
    let ended = pipeline.call(call).await;
    ended.map(|outcome| outcome.value).map_err(Interrupt::into_fault)
}

fn pipeline() -> Pipeline {
    let (settings, updates) = (CallSettings::default(), Updates::default());
    Pipeline::new(Arc::new(Loaded), Arc::default(), &settings, Recorder::default(), updates)
}

#[tokio::test]
async fn they_need_no_handler() {
    let pipeline = pipeline();
    let about = call(&pipeline, "site.about", json!({})).await.unwrap();
    assert_eq!((&about["operations"]["read"], &about["posts"]), (&json!(4), &json!(3)));
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
