//! The operations of an authority as the tools of a conversation.

use crate::format::Payload;
use crate::tools::{Call, Carried, Effect, Outcome, Tool, Tools, World};
use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;
use toolwrit_core::authority::{Operation, Returns, Served};
use toolwrit_core::call::calls::{Calls, OwnCall};
use toolwrit_core::caller::sender::ClientInfo;
use toolwrit_core::fault::{Code, Fault};
use toolwrit_core::json::written::parse_row_text;
use toolwrit_core::policy::{Policy, Selector};
use toolwrit_text::hex::Hex;
use toolwrit_text::nearest;

/// The tag of operations that converse themselves, which no model is offered.
const CHAT: &str = "chat";

/// The hint for operations that change something.
const READS: &str = "Conversations and blocks only read, unless the user names a focus mode: with --focus, or as `focus` in \
                     [chat] of the configuration.";

/// What a policy allows, as tools. Calls run through the pipeline, like those of any other caller.
pub struct Operations {
    calls: Calls,
    offered: Vec<Tool>,
    identity: String,
}

impl Operations {
    /// The operations that the policy of these calls allows, without those that converse. The audit shows the calls as
    /// those of the note.
    #[must_use]
    pub fn new(calls: Calls, note: &str) -> Self {
        let policy = calls.policy().without(Selector::Tag(CHAT.to_owned()));
        let offered: Vec<Tool> =
            policy.visible().map(|(_, operation)| tool_without_confirmation(operation)).collect();
        let identity = policy_identity(&policy);
        let calls = calls.under(policy).by(ClientInfo::new(&Self::client(note), ""));
        Self { calls, offered, identity }
    }

    /// The name under which the audit shows the calls of a note.
    #[must_use]
    pub fn client(note: &str) -> String {
        format!("note {note}")
    }
}

impl Tools for Operations {
    fn tools(&self) -> Vec<Tool> {
        self.offered.clone()
    }

    fn refusal(&self, tool: &str) -> Option<(String, Value)> {
        let policy = self.calls.policy();
        let found = policy.tables().lookup(tool)?;
        let index = usize::from(found.operation);
        let fault = policy.admit(index).err()?;
        let fault = if fault.code() == Code::WritesDisabled {
            let id = &policy.tables().operations[index].id;
            let message = format!("`{id}` changes data, and only reads are possible here.");
            Fault::new(fault.code(), message).of_operation(id).hinting(READS)
        } else {
            fault
        };
        Some((fault.code().to_string(), fault.to_json()))
    }

    /// Selectors are those of the configuration. What only does not run now, such as writes where only reads are possible,
    /// may be selected; what does not exist for the caller is as unknown as any other name.
    fn select(&self, selector: &str) -> Result<Vec<String>, String> {
        let policy = self.calls.policy();
        let tables = policy.tables();
        let exists = |found: &Selector| {
            tables.operations.iter().enumerate().any(|(index, operation)| {
                operation.served == Served::Tool && found.matches(operation) && policy.knows(index)
            })
        };
        let found = Selector::find(tables, selector).filter(exists);
        let found = found.ok_or_else(|| explain_empty_selection(policy, selector))?;
        let selected = policy.visible().filter(|(_, operation)| found.matches(operation));
        Ok(selected.map(|(_, operation)| operation.id.clone()).collect())
    }

    /// The pipeline refuses the call and records it. A call that it would make, such as one beyond a limit of the
    /// conversation, does not reach it.
    fn record_refused_call(&self, tool: &str, arguments: Map<String, Value>) -> BoxFuture<'_, ()> {
        let policy = self.calls.policy();
        let policy = match policy.tables().lookup(tool) {
            // Nothing is allowed, also if there is such an operation by then.
            None => policy.only(Vec::new()),
            Some(found) if policy.admit(usize::from(found.operation)).is_err() => policy.clone(),
            Some(_) => return future::ready(()).boxed(),
        };
        let call = OwnCall {
            operation: tool.to_owned(),
            arguments,
            idempotency_key: None,
            agreed: false,
            result_bytes: 0,
            cancellation: CancellationToken::new(),
        };
        let calls = self.calls.clone().under(policy);
        // The model is told why by the conversation.
        async move { drop(calls.make(call).await) }.boxed()
    }

    /// The calls of a batch.
    fn carried_calls(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried> {
        let tables = self.calls.policy().tables();
        let id_of = |name: &str, arguments: &Map<String, Value>| {
            let called = tables.called(name, arguments);
            called.map_or_else(|| name.to_owned(), |at| tables.operations[at].id.clone())
        };
        let calls = self.calls.carried(tool, arguments).into_iter();
        calls
            .map(|(name, arguments)| Carried { tool: id_of(&name, &arguments), arguments })
            .collect()
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        let Call { tool, arguments, offered, agreed, key, max_bytes, cancellation, .. } = call;
        let calls = if self.carried_calls(&tool, &arguments).is_empty() {
            self.calls.clone()
        } else {
            // The engine refuses what the conversation does not offer.
            let offered = offered.iter().map(|tool| Selector::Operation(tool.id.clone()));
            self.calls.clone().under(self.calls.policy().only(offered.collect()))
        };
        let writes =
            self.offered.iter().any(|offered| offered.id == tool && offered.effect != Effect::Read);
        async move {
            let made = calls.make(OwnCall {
                operation: tool,
                arguments,
                idempotency_key: writes.then(|| key.to_string()),
                agreed,
                result_bytes: max_bytes,
                cancellation: cancellation.clone(),
            });
            match made.await {
                Ok(outcome) => Outcome::Done(match outcome.render() {
                    (_, Some(value)) => value.into(),
                    (text, None) => Payload::Text(text),
                }),
                Err(fault) if fault.is_lost() => Outcome::Lost,
                Err(fault) if fault.code() == Code::Cancelled && cancellation.is_cancelled() => {
                    Outcome::Cancelled
                }
                Err(fault) => {
                    Outcome::Failed { code: fault.code().to_string(), error: fault.to_json() }
                }
            }
        }
        .boxed()
    }
}

/// An operation as a tool, for a program that calls it through MCP or HTTP.
#[must_use]
pub fn tool_from_operation(operation: &Operation) -> Tool {
    let description =
        operation.description.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
    Tool {
        id: operation.id.clone(),
        name: operation.wire_name.clone(),
        title: None,
        description: format!("{}{description}", operation.summary),
        parameters: parse_row_text(&operation.input_schema),
        returns: match &operation.returns {
            Returns::Object(text) | Returns::Wrapped(text) => Some(parse_row_text(text)),
            _ => None,
        },
        examples: operation.examples.iter().map(|example| parse_row_text(&example.args)).collect(),
        effect: operation.effect,
        world: classify_world(operation),
        confirm: operation.confirm,
        idempotent: operation.idempotent,
        cache: operation.cache,
        deferred: false,
    }
}

/// Only a read is known to return nothing of the vault: what uses the network and changes something may also run in the vault,
/// as code of Dataview does.
fn classify_world(operation: &Operation) -> World {
    match (operation.open_world, operation.is_world_assumed, operation.effect) {
        (false, ..) => World::Closed,
        (true, false, Effect::Read) => World::Open,
        (true, ..) => World::Unknown,
    }
}

/// An operation as a tool of a conversation: without the token of a confirmation, because a person confirms.
fn tool_without_confirmation(operation: &Operation) -> Tool {
    let mut tool = tool_from_operation(operation);
    if operation.confirm
        && let Some(Value::Object(properties)) = tool.parameters.get_mut("properties")
    {
        properties.shift_remove(Operation::CONFIRM);
    }
    tool
}

/// What is wrong with a selector that selects nothing. It names only what the caller may use.
fn explain_empty_selection(policy: &Policy, selector: &str) -> String {
    let names = policy
        .visible()
        .flat_map(|(_, operation)| [&operation.id, &policy.tables().category_of(operation).name])
        .map(String::as_str);
    let hint = match nearest::closest(selector, names).as_slice() {
        [] => String::new(),
        close => format!(" Did you mean {}?", close.join(", ")),
    };
    format!("`{selector}` selects no operation of this conversation.{hint}")
}

/// What decides about results: role, focus mode, and everything that the operations say.
fn policy_identity(policy: &Policy) -> String {
    let mut digest = Sha256::new();
    for (_, operation) in policy.visible() {
        digest.update(&operation.signature);
        digest.update(&operation.input_schema);
    }
    let digest = digest.finalize();
    format!("{} {} {}", policy.role(), policy.focus(), Hex(&digest[..8]))
}
