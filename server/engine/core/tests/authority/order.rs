//! What carries out an operation receives its arguments with the keys of free JSON in the order in which they were sent.

use std::future::ready;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::authority::{
    Authority, Builtin, DynamicOperation, Effect, Field, Joining, LiveAuthority, Operation,
    Presence, Returns, Tables, Type,
};
use toolwrit_core::availability::{Probe, Providers};
use toolwrit_core::call::bound_call::BoundCall;
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::provider::{BoxFuture, Offers, Provider, Supervised, Supervisors};
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::Toolset;
use toolwrit_core::updates::Updates;

use crate::caller::{call, caller};
use crate::rows::{category, focus, name, operation, provider, role};

fn echo(id: &str) -> Operation {
    let level = Type::Integer { min: 0, max: 9 };
    Operation {
        effect: Effect::Read,
        result_bytes: 1 << 16,
        returns: Returns::Object("{}".to_owned()),
        inputs: vec![
            Field::new("row", Type::Json, Presence::Required),
            Field::new("labels", Type::Map(Box::new(Type::Json)), Presence::Required),
            Field::new("level", level, Presence::Default("3".to_owned())),
        ],
        ..operation(id, "")
    }
}

fn tables() -> Tables {
    let calls = Type::Array { items: Box::new(Type::Json), min: 1, max: 20 };
    let operations = [
        Operation { binding: Some("{}".to_owned()), requires: Some(0), ..echo("new.bound") },
        echo("new.handled"),
        Operation {
            builtin: Some(Builtin::BatchGet),
            inputs: vec![Field::new("calls", calls, Presence::Required)],
            ..echo("new.many")
        },
    ];
    Tables {
        categories: Arc::new([category("new", "New", "")]),
        operations: operations.map(Arc::new).into_iter().collect(),
        joining: Arc::new([Joining {
            category: 0,
            provider: 0,
            most: Effect::Write,
            whole: false,
        }]),
        names: Arc::new([name("new.bound", 0), name("new.handled", 1), name("new.many", 2)]),
        focus: Arc::new([focus(&[7], 7)]),
        roles: Arc::new([role("owner", 7, &[7], 7)]),
        policy: Arc::new([vec![vec![7]]]),
        providers: Arc::new([provider("echo")]),
        ..Tables::empty()
    }
}

/// Returns the arguments of every call. As a toolset it was built before the operations were known.
struct Echo;

impl Toolset for Echo {
    fn authority(&self) -> Authority {
        Authority::new(Tables::empty())
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        unreachable!("no operation is known at compile time")
    }

    fn call_by_id<'a>(
        &'a self,
        _: &'a str,
        _: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        RunningHandler::new(Box::new(ready(Ok(Value::Object(arguments)))))
    }
}

impl Provider for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(ready(Ok(Probe::Available { version: None })))
    }
}

impl Offers for Echo {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let joined = DynamicOperation {
            effect: Some(Effect::Read),
            ..DynamicOperation::new("new.echo:joined", "Says it.", schema)
        };
        Box::pin(ready(Ok(vec![joined])))
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(ready(Ok(arguments.into())))
    }
}

impl Supervised for Echo {
    fn call_bound<'a>(&'a self, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(ready(Ok(call.arguments.into())))
    }
}

/// What receives the arguments of this call.
async fn received(operation: &str, arguments: Value) -> String {
    let (live, updates) = (LiveAuthority::new(Authority::new(tables())), Updates::default());
    let supervisors = Arc::new(Supervisors::start(vec![Arc::new(Echo)], &live, &updates));
    supervisors.states().wait_until_examined().await;
    let settings = CallSettings::default();
    let pipeline = Pipeline::new(
        Arc::new(Echo),
        Arc::default(),
        supervisors.clone(),
        &settings,
        Recorder::default(),
        updates,
    );
    let now = live.now();
    let providers = Providers::new(now.tables(), supervisors.states());
    let policy = Policy::new(now.clone(), &Choice::default()).unwrap();
    let caller = caller(policy.with_providers(Arc::new(providers)));
    let answer = call(&pipeline, caller, operation, arguments).await.unwrap();
    pipeline.close().await;
    match answer {
        Value::String(text) => text,
        answer => answer.to_string(),
    }
}

fn sent() -> Value {
    json!({
        "row": {"name": "Ada", "id": 7, "born": 1815.5, "nested": [{"y": u64::MAX, "x": -2}]},
        "labels": {"z": 1, "a": null},
    })
}

#[tokio::test]
async fn free_json_reaches_handlers_apis_and_providers_as_it_was_sent() {
    let rest = r#""labels":{"z":1,"a":null}"#;
    let row =
        r#""row":{"name":"Ada","id":7,"born":1815.5,"nested":[{"y":18446744073709551615,"x":-2}]}"#;
    for operation in ["new.handled", "new.bound"] {
        let expected = format!(r#"{{{row},{rest},"level":3}}"#);
        assert_eq!(received(operation, sent()).await, expected, "{operation}");
    }
    assert_eq!(received("new.echo:joined", sent()).await, format!("{{{row},{rest}}}"));
    let batch = json!({ "calls": [{ "tool": "new.handled", "args": sent() }] });
    let batch = received("new.many", batch).await;
    assert!(batch.contains(row) && batch.contains(rest), "{batch}");
}
