//! The resources and prompts of an upstream: an operation reads all of the former, another one returns the messages of all of
//! the latter, and a third one completes the arguments of both.

use serde_json::{Map, Value, json};
use toolwrit_core::authority::{
    DynamicOperation, Effect, Offered, OfferedArgument, OfferedPrompt, OfferedResource,
};
use toolwrit_core::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_upstreams::{Completed, Completion, Lock, Prompt, Resource, Upstream, User};

use crate::calling::caller;
use crate::fault::fault;
use crate::settings::UpstreamSettings;

/// What an upstream offers besides tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    Resources,
    Prompts,
    Completions,
}

impl Offer {
    const ALL: [Self; 3] = [Self::Resources, Self::Prompts, Self::Completions];

    /// The capability that an upstream declares for it.
    fn capability(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Prompts => "prompts",
            Self::Completions => "completions",
        }
    }

    /// The id of its operation.
    fn id(self, upstream: &str) -> String {
        match self {
            Self::Resources => format!("{upstream}.resources/read"),
            Self::Prompts => format!("{upstream}.prompts/get"),
            Self::Completions => format!("{upstream}.completion/complete"),
        }
    }

    /// Whether the operator lets it pass.
    fn passes(self, settings: &UpstreamSettings) -> bool {
        match self {
            Self::Resources => settings.passes.resources,
            Self::Prompts => settings.passes.prompts,
            Self::Completions => settings.passes.resources || settings.passes.prompts,
        }
    }

    /// Finds the offer that an operation of an upstream belongs to.
    pub(crate) fn of(upstream: &str, operation: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.id(upstream) == operation)
    }

    /// Carries out its operation.
    ///
    /// # Errors
    /// The fault with which the call ends.
    pub(crate) async fn answer(
        self,
        upstream: &Upstream,
        cx: &Context,
        arguments: &Map<String, Value>,
    ) -> Result<Value> {
        // Only tools may ask.
        let mut caller = caller(upstream, cx);
        caller.user = User::Absent;
        caller.deadline = cx.deadline();
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
        let prefix = prefixed(upstream.name(), "");
        let prompt = |key: &str| text(key).strip_prefix(&prefix).unwrap_or_default();
        let own = arguments.get("arguments").and_then(Value::as_object);
        let own = own.cloned().unwrap_or_default();
        let answer = match self {
            Self::Resources => upstream.read(text("uri"), &caller).await.map(Value::Array),
            Self::Prompts => {
                upstream.messages(prompt("name"), &own, &caller).await.map(Value::Array)
            }
            Self::Completions => {
                let of = match arguments.get("prompt") {
                    Some(_) => Completed::Prompt(prompt("prompt")),
                    None => Completed::Resource(text("resource")),
                };
                let (argument, value) = (text("argument"), text("value"));
                let wanted = Completion { of, argument, value, arguments: &own };
                upstream.complete(&wanted, &caller).await.map(Value::from)
            }
        };
        answer.map_err(|failure| fault(failure, true))
    }
}

/// Returns the operations for what an approved upstream offers now. They exist before it has started, so that clients learn
/// that there may be resources and prompts.
pub(crate) fn operations(
    settings: &UpstreamSettings,
    lock: &Lock,
    upstream: Option<&Upstream>,
) -> Vec<DynamicOperation> {
    let declared = &lock.server().capabilities;
    let offered = Offer::ALL
        .into_iter()
        .filter(|own| own.passes(settings) && declared[own.capability()].is_object());
    offered.map(|own| operation(own, settings, upstream)).collect()
}

fn operation(
    offer: Offer,
    settings: &UpstreamSettings,
    upstream: Option<&Upstream>,
) -> DynamicOperation {
    let name = &settings.name;
    let (summary, properties, required) = match offer {
        Offer::Resources => (
            format!("Read a resource of the MCP server {name}."),
            json!({ "uri": { "type": "string" } }),
            "uri",
        ),
        Offer::Prompts => (
            format!("Get a prompt of the MCP server {name}."),
            json!({ "name": { "type": "string" }, "arguments": { "type": "object" } }),
            "name",
        ),
        Offer::Completions => (
            format!("Complete an argument of a prompt or a resource of the MCP server {name}."),
            json!({ "prompt": { "type": "string" }, "resource": { "type": "string" },
                    "argument": { "type": "string" }, "value": { "type": "string" },
                    "arguments": { "type": "object" } }),
            "argument",
        ),
    };
    let schema = Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), json!([required])),
        ("additionalProperties".to_owned(), false.into()),
    ]);
    let mut operation = DynamicOperation::new(offer.id(name), summary, schema);
    operation.effect = Some(Effect::Read);
    operation.idempotent = true;
    operation.timeout = settings.timeout;
    operation.result_bytes = settings.result_bytes.unwrap_or(operation.result_bytes);
    operation.offered = match (offer, upstream) {
        (Offer::Resources, upstream) => {
            let all = upstream.map(Upstream::resources).unwrap_or_default();
            Offered::Resources(all.iter().map(|own| resource(name, own)).collect())
        }
        (Offer::Completions, _) => Offered::Completions,
        (Offer::Prompts, upstream) => {
            let all = upstream.map(Upstream::prompts).unwrap_or_default();
            Offered::Prompts(all.iter().map(|own| prompt(name, own)).collect())
        }
    };
    operation
}

/// A name of an upstream, which begins as the names of its tools do.
fn prefixed(upstream: &str, name: &str) -> String {
    format!("{}_{name}", upstream.replace('-', "_"))
}

fn resource(upstream: &str, own: &Resource) -> OfferedResource {
    OfferedResource {
        uri: own.uri.clone(),
        name: prefixed(upstream, &own.name),
        title: own.title.clone(),
        description: own.description.clone(),
        mime_type: own.mime_type.clone(),
    }
}

fn prompt(upstream: &str, own: &Prompt) -> OfferedPrompt {
    let arguments = own.arguments.iter().map(|own| OfferedArgument {
        name: own.name.clone(),
        description: own.description.clone(),
        required: own.required,
    });
    OfferedPrompt {
        name: prefixed(upstream, &own.name),
        title: own.title.clone(),
        description: own.description.clone(),
        arguments: arguments.collect(),
    }
}
