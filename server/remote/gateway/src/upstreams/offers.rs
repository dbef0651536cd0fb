//! The resources and prompts of an upstream: an operation reads all of the former, another one returns the messages of all of
//! the latter, and a third one completes the arguments of both.

use serde_json::{Map, Value, json};
use tokio::sync::broadcast::error::RecvError;
use toolwrit_core::authority::{DynamicOperation, Effect, Offered, OfferedPrompt, OfferedResource};
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_core::updates::Updates;
use toolwrit_upstreams::{Completed, Completion, Lock, Upstream};

use crate::upstreams::calling::caller;
use crate::upstreams::fault::{cancelled, fault};
use crate::upstreams::interface::Interfaces;

/// What of an upstream passes besides its tools, and as which operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// The name of the upstream, with which the names of its resources and prompts begin.
    pub upstream: String,
    /// How the ids of its operations begin.
    pub prefix: String,
    /// Whether its resources pass.
    pub resources: bool,
    /// Whether its prompts pass.
    pub prompts: bool,
}

/// Passes the updates of an upstream's resources on to the clients that want them, until this is dropped. `provider` is its
/// provider.
pub async fn announce(upstream: &Upstream, provider: &str, updates: &Updates) {
    let mut subscribed = updates.subscribed(provider);
    let mut changed = upstream.updates();
    let interfaces = Interfaces::new(upstream.name());
    loop {
        let wanted = subscribed.now();
        upstream
            .subscribe(wanted.iter().map(|uri| interfaces.original(uri).into_owned()).collect());
        tokio::select! {
            () = subscribed.changed() => {}
            uri = changed.recv() => match uri {
                Ok(uri) => updates.resource(&interfaces.shown(&uri)),
                // Clients that miss an update are told of the next one.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
        }
    }
}

/// A kind of what an upstream offers besides tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Resources,
    Prompts,
    /// Values for the arguments of both.
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

    /// The name of its operation.
    fn name(self) -> &'static str {
        match self {
            Self::Resources => "resources/read",
            Self::Prompts => "prompts/get",
            Self::Completions => "completion/complete",
        }
    }

    /// Carries out its operation. The call ends when it is cancelled.
    ///
    /// # Errors
    /// The fault with which the call ends.
    pub async fn answer(
        self,
        upstream: &Upstream,
        cx: &Context,
        arguments: &Map<String, Value>,
    ) -> Result<Value> {
        tokio::select! {
            biased;
            answer = self.carried_out(upstream, cx, arguments) => answer,
            () = cx.cancelled() => Err(cancelled()),
        }
    }

    async fn carried_out(
        self,
        upstream: &Upstream,
        cx: &Context,
        arguments: &Map<String, Value>,
    ) -> Result<Value> {
        // Only tools may ask.
        let caller = caller(cx);
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default();
        let prefix = prefixed(upstream.name(), "");
        let prompt = |key: &str| text(key).strip_prefix(&prefix).unwrap_or_default();
        let filled = arguments.get("arguments").and_then(Value::as_object);
        let filled = filled.cloned().unwrap_or_default();
        let interfaces = Interfaces::new(upstream.name());
        let answer = match self {
            Self::Resources => {
                let read = upstream.read(&interfaces.original(text("uri")), &caller).await;
                read.map(|mut contents| {
                    for part in &mut contents {
                        interfaces.show_in_block(part);
                    }
                    Value::Array(contents)
                })
            }
            Self::Prompts => {
                let messages = upstream.messages(prompt("name"), &filled, &caller).await;
                messages.map(|mut messages| {
                    for block in messages.iter_mut().filter_map(|said| said.get_mut("content")) {
                        interfaces.show_in_block(block);
                    }
                    Value::Array(messages)
                })
            }
            Self::Completions => {
                let resource = interfaces.original(text("resource"));
                let of = match arguments.get("prompt") {
                    Some(_) => Completed::Prompt(prompt("prompt")),
                    None => Completed::Resource(&resource),
                };
                let (argument, value) = (text("argument"), text("value"));
                let wanted = Completion { of, argument, value, arguments: &filled };
                upstream.complete(&wanted, &caller).await.map(Value::from)
            }
        };
        answer.map_err(|failure| fault(failure, true))
    }
}

impl Offers {
    /// Returns the operations for what an approved upstream offers now. They exist before it has started, so that clients
    /// learn that there may be resources and prompts.
    pub fn operations<'a>(
        &'a self,
        lock: &'a Lock,
        upstream: Option<&'a Upstream>,
    ) -> impl Iterator<Item = DynamicOperation> + 'a {
        let declared = &lock.server().capabilities;
        let offered = Offer::ALL
            .into_iter()
            .filter(|offer| self.passes(*offer) && declared[offer.capability()].is_object());
        let subscribe = declared["resources"]["subscribe"] == true;
        offered.map(move |offer| self.operation(offer, upstream, subscribe))
    }

    fn passes(&self, offer: Offer) -> bool {
        match offer {
            Offer::Resources => self.resources,
            Offer::Prompts => self.prompts,
            Offer::Completions => self.resources || self.prompts,
        }
    }

    /// Finds the offer that an operation belongs to.
    pub fn find(&self, operation: &str) -> Option<Offer> {
        let name = operation.strip_prefix(&self.prefix)?;
        Offer::ALL.into_iter().find(|offer| offer.name() == name)
    }

    fn operation(
        &self,
        offer: Offer,
        upstream: Option<&Upstream>,
        subscribe: bool,
    ) -> DynamicOperation {
        let name = &self.upstream;
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
        let mut operation =
            DynamicOperation::new(format!("{}{}", self.prefix, offer.name()), summary, schema);
        operation.effect = Some(Effect::Read);
        operation.idempotent = true;
        operation.offered = match (offer, upstream) {
            (Offer::Resources, upstream) => {
                let all = upstream.map(Upstream::resources).unwrap_or_default();
                let listed = all.iter().map(|offered| resource(name, offered)).collect();
                Offered::Resources { listed, subscribe }
            }
            (Offer::Completions, _) => Offered::Completions,
            (Offer::Prompts, upstream) => {
                let all = upstream.map(Upstream::prompts).unwrap_or_default();
                Offered::Prompts(all.iter().map(|offered| prompt(name, offered)).collect())
            }
        };
        operation
    }
}

/// A name of an upstream, which begins as the names of its tools do.
fn prefixed(upstream: &str, name: &str) -> String {
    format!("{}_{name}", upstream.replace('-', "_"))
}

fn resource(upstream: &str, offered: &OfferedResource) -> OfferedResource {
    let uri = Interfaces::new(upstream).shown(&offered.uri).into_owned();
    OfferedResource { uri, name: prefixed(upstream, &offered.name), ..offered.clone() }
}

fn prompt(upstream: &str, offered: &OfferedPrompt) -> OfferedPrompt {
    OfferedPrompt { name: prefixed(upstream, &offered.name), ..offered.clone() }
}
