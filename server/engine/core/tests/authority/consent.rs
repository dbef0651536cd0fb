//! One gate for all calls: whoever makes a call on behalf of a caller, what must be confirmed is confirmed, and what the policy
//! withholds is refused.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::authority::{
    Authority, Builtin, Effect, Field, Operation, Presence, Tables, Type,
};
use toolwrit_core::call::Caller;
use toolwrit_core::call::calls::OwnCall;
use toolwrit_core::call::context::Context;
use toolwrit_core::dialogue::{Confirmer, Dialogue};
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::Toolset;
use toolwrit_core::updates::Updates;

use crate::caller::{call, caller};
use crate::rows::{category, focus, name, operation, role};

/// Operations that read, must be confirmed, change data, carry calls, and make calls.
fn authority() -> Authority {
    let row = |id: &str, effect, inputs: Vec<Field>| Operation {
        effect,
        inputs,
        result_bytes: 1 << 16,
        ..operation(id, id)
    };
    let any = |name: &str, presence| Field::new(name, Type::Json, presence);
    let confirm = Type::String { min: 0, max: 100, pattern: None };
    let confirm = Field::new("confirm", confirm, Presence::Optional);
    let secret = Field { sensitive: true, ..any("password", Presence::Optional) };
    let calls = Type::Array { items: Box::new(Type::Json), min: 1, max: 20 };
    let calls = Field::new("calls", calls, Presence::Required);
    let relayed = ["call", "agreed"].map(|name| any(name, Presence::Required));
    let (read, write) = (Effect::Read, Effect::Write);
    let operations = [
        Operation { builtin: Some(Builtin::BatchGet), ..row("site.many", read, vec![calls]) },
        row("site.post", read, Vec::new()),
        row("site.publish", write, Vec::new()),
        row("site.relay", read, relayed.to_vec()),
        Operation { confirm: true, ..row("site.secret", read, vec![secret, confirm]) },
    ];
    let names = (0..).zip(["site.many", "site.post", "site.publish", "site.relay", "site.secret"]);
    let all = 0b1_1111;
    Authority::new(Tables {
        categories: Arc::new([category("site", "Site", "Posts.")]),
        operations: operations.map(Arc::new).into_iter().collect(),
        names: names.map(|(at, operation_name)| name(operation_name, at)).collect(),
        focus: Arc::new([focus(&[], 4)]),
        roles: Arc::new([role("owner", all, &[], 4)]),
        policy: Arc::new([vec![vec![all]]]),
        ..Tables::empty()
    })
}

/// Notes what runs. `site.relay` makes the call that it is given.
#[derive(Default)]
struct Site(Mutex<Vec<String>>);

impl Toolset for Site {
    fn authority(&self) -> Authority {
        Authority::new(Tables::empty())
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        unreachable!("no operation is known at compile time")
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        self.0.lock().unwrap().push(id.to_owned());
        RunningHandler::new(Box::new(async move {
            if id != "site.relay" {
                return Ok(json!({ "ran": id }));
            }
            let calls = cx.calls()?;
            let operation = arguments["call"]["tool"].as_str().unwrap().to_owned();
            let call_arguments = arguments["call"]["args"].as_object().cloned().unwrap_or_default();
            let carried = calls.carried(&operation, &call_arguments);
            self.0
                .lock()
                .unwrap()
                .extend(carried.into_iter().map(|(name, _)| format!("in it {name}")));
            let made = calls.make(OwnCall {
                operation,
                arguments: call_arguments,
                idempotency_key: None,
                agreed: arguments["agreed"] == true,
                result_bytes: 1 << 16,
                cancellation: CancellationToken::new(),
            });
            Ok(made.await?.value)
        }))
    }
}

/// A person who decides the same each time, and keeps the questions.
#[derive(Debug)]
struct Person {
    agrees: bool,
    asked: Mutex<Vec<String>>,
}

impl Confirmer for Person {
    fn confirm(&self, question: String) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> {
        self.asked.lock().unwrap().push(question);
        let declined = || Fault::cancelled("The user did not confirm.");
        Box::pin(std::future::ready(if self.agrees { Ok(()) } else { Err(declined()) }))
    }
}

/// What became of a call: the codes in its answer, what ran, and what a person was asked.
struct Became {
    answer: String,
    ran: Vec<String>,
    asked: Vec<String>,
}

async fn became(agrees: Option<bool>, writes: bool, name: &str, arguments: Value) -> Became {
    let site = Arc::new(Site::default());
    let pipeline = Pipeline::new(
        site.clone(),
        Arc::default(),
        Arc::default(),
        &CallSettings::default(),
        Recorder::default(),
        Updates::default(),
    );
    let choice = Choice { read_only: !writes, ..Choice::default() };
    let person = Arc::new(Person { agrees: agrees == Some(true), asked: Mutex::default() });
    let dialogue = match agrees {
        Some(_) => Dialogue::Confirming(person.clone()),
        None => Dialogue::Silent,
    };
    let caller = Caller { dialogue, ..caller(Policy::new(authority(), &choice).unwrap()) };
    let answer = match call(&pipeline, caller, name, arguments).await {
        Ok(value) => value.to_string(),
        Err(fault) => fault.to_json().to_string(),
    };
    let (ran, asked) = (site.0.lock().unwrap().clone(), person.asked.lock().unwrap().clone());
    Became { answer, ran, asked }
}

fn batch(tools: &[&str]) -> Value {
    let calls: Vec<Value> = tools
        .iter()
        .map(|tool| match *tool {
            "site.secret" => json!({ "tool": tool, "args": { "password": "hunter2" } }),
            _ => json!({ "tool": tool }),
        })
        .collect();
    json!({ "calls": calls })
}

/// The same batch, with its list as JSON text.
fn as_text(batch: &Value) -> Value {
    json!({ "calls": batch["calls"].to_string() })
}

fn relayed(tool: &str, arguments: &Value, agreed: bool) -> Value {
    json!({ "call": { "tool": tool, "args": arguments }, "agreed": agreed })
}

#[tokio::test]
async fn what_must_be_confirmed_runs_only_if_it_is() {
    let secret = || batch(&["site.secret"]);
    let relay = || relayed("site.many", &secret(), true);
    // Each way to `site.secret`, and whether it asks, where somebody can be asked.
    let ways = [
        ("site.secret", json!({}), true),
        ("site.many", secret(), true),
        ("site.relay", relayed("site.secret", &json!({}), false), false),
        ("site.relay", relayed("site.many", &secret(), false), false),
        ("site.relay", relayed("site.many", &as_text(&secret()), false), false),
    ];
    for (name, arguments, asks) in ways {
        for agrees in [None, Some(false), Some(true)] {
            let Became { answer, ran, asked } = became(agrees, true, name, arguments.clone()).await;
            let runs = asks && agrees == Some(true);
            assert_eq!(
                ran.contains(&"site.secret".to_owned()),
                runs,
                "{name} {arguments}: {answer}"
            );
            assert_eq!(asked.len(), usize::from(asks && agrees.is_some()), "{name} {arguments}");
            let code = if runs {
                "site.secret"
            } else if asks && agrees.is_some() {
                "CANCELLED"
            } else {
                "CONFIRMATION_REQUIRED"
            };
            assert!(answer.contains(code), "{name} {arguments}: {answer}");
        }
    }
    // Whoever makes a call to which a person has agreed says so.
    for arguments in [relayed("site.secret", &json!({}), true), relay()] {
        let Became { ran, asked, .. } = became(None, true, "site.relay", arguments).await;
        assert_eq!((ran.last().unwrap().as_str(), asked.len()), ("site.secret", 0));
    }
}

/// Lists and objects may be given as JSON text. Whoever decides about a batch sees what it makes.
#[tokio::test]
async fn what_a_batch_is_seen_to_carry_is_what_it_makes() {
    let item = json!({ "tool": "site.secret", "args": { "password": "x" } });
    let text_of_args = json!({ "tool": "site.secret", "args": "{\"password\":\"x\"}" });
    for calls in [
        json!([item]),
        json!(json!([item]).to_string()),
        json!([item.to_string()]),
        json!([text_of_args]),
        json!([text_of_args.to_string()]),
    ] {
        let arguments = relayed("site.many", &json!({ "calls": calls }), true);
        let Became { answer, ran, .. } = became(None, true, "site.relay", arguments).await;
        assert_eq!(ran, ["site.relay", "in it site.secret", "site.secret"], "{calls}: {answer}");
    }
}

/// It would read something else if it ran without what is wrong with it.
#[tokio::test]
async fn a_batch_with_something_that_is_no_call_makes_none() {
    let good = json!({ "tool": "site.post" });
    for (wrong, path, expected) in [
        (json!({ "tool": "site.post", "args": "id=1" }), "/calls/1/args", "an object"),
        (json!({ "tool": "site.post", "args": [1] }), "/calls/1/args", "an object"),
        (json!({ "tool": "site.post", "args": "[1]" }), "/calls/1/args", "an object"),
        (json!({ "args": {} }), "/calls/1/tool", "the name of a read"),
        (json!({ "tool": 1 }), "/calls/1/tool", "the name of a read"),
        (json!("site.post"), "/calls/1/tool", "the name of a read"),
    ] {
        let arguments = json!({ "calls": [good, wrong] });
        let Became { answer, ran, .. } = became(None, true, "site.many", arguments.clone()).await;
        for part in ["VALIDATION_ERROR", path, expected, "Give each call as"] {
            assert!(answer.contains(part), "{wrong}: {answer}");
        }
        assert_eq!(ran, [""; 0], "{wrong}");
        let relayed = relayed("site.many", &arguments, true);
        let Became { answer, ran, .. } = became(None, true, "site.relay", relayed).await;
        assert!(answer.contains("VALIDATION_ERROR") && answer.contains(path), "{wrong}: {answer}");
        assert_eq!(ran, ["site.relay"], "{wrong}");
    }
}

#[tokio::test]
async fn a_batch_asks_once_and_names_what_must_be_confirmed() {
    let calls = batch(&["site.secret", "site.post", "site.secret", "site.publish"]);
    let became = became(Some(true), true, "site.many", calls).await;
    let [question] = &became.asked[..] else { panic!("{:?}", became.asked) };
    assert_eq!(question.matches("site.secret").count(), 2, "{question}");
    assert!(!question.contains("site.post") && !question.contains("site.publish"), "{question}");
    assert!(!question.contains("hunter2"), "{question}");
    assert_eq!(became.ran.len(), 3, "{:?}", became.ran);
}

#[tokio::test]
async fn nothing_carries_a_write_past_the_policy() {
    let publish = || relayed("site.publish", &json!({}), true);
    let ways = [
        ("site.publish", json!({})),
        ("site.many", batch(&["site.publish"])),
        ("site.relay", publish()),
        ("site.relay", relayed("site.many", &batch(&["site.publish"]), true)),
        ("site.many", json!({ "calls": [{ "tool": "site.relay", "args": publish() }] })),
    ];
    for (name, arguments) in ways {
        let Became { answer, ran, .. } = became(Some(true), false, name, arguments.clone()).await;
        assert!(!ran.contains(&"site.publish".to_owned()), "{name} {arguments}: {answer}");
    }
    let Became { ran, .. } = became(Some(true), true, "site.relay", publish()).await;
    assert_eq!(ran, ["site.relay", "site.publish"]);
}
