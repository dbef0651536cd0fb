//! Asks another model what a note asked, without calling anything that changes something.

use std::collections::HashMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::format::{Document, Kind, Part, Payload, Status, canonical};
use crate::tools::{Call, Carried, Effect, Outcome, Tool, Tools, World};

type Results = HashMap<(String, String), Payload>;

/// What a note asked, and what its calls returned.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The texts of the user, in order. Each is a turn.
    pub prompts: Vec<String>,
    results: Results,
}

/// Reads what a note asked, and what its calls returned.
#[must_use]
pub fn replay(document: &Document<'_>) -> Replay {
    let mut replay = Replay { prompts: Vec::new(), results: HashMap::new() };
    for part in document.parts() {
        match part {
            Part::Text(text) => {
                let prompt = text.visible(document);
                if !prompt.is_empty() {
                    replay.prompts.push(prompt);
                }
            }
            Part::NewChat(_) => replay.prompts.clear(),
            Part::Block(block)
                if block.header.kind == Kind::Tool && block.header.state.status == Status::Ok =>
            {
                if let (Some(Payload::Json(arguments)), Some(result)) =
                    (block.arguments(), block.result())
                {
                    replay
                        .results
                        .insert((block.header.name.clone(), canonical(&arguments)), result);
                }
            }
            Part::Block(_) | Part::Properties(_) => {}
        }
    }
    replay
}

/// Tools that answer with the results of a note. Reads that the note does not have are made; a write that it does not have
/// cancels the turn.
pub struct ReplayTools {
    inner: Arc<dyn Tools>,
    results: Results,
    missing: CancellationToken,
}

impl ReplayTools {
    /// Tools for a replay. `missing` is cancelled at a write that the note does not have.
    #[must_use]
    pub fn new(inner: Arc<dyn Tools>, replay: &Replay, missing: CancellationToken) -> Self {
        Self { inner, results: replay.results.clone(), missing }
    }

    fn result(&self, tool: &str, arguments: &Map<String, Value>) -> Option<&Payload> {
        self.results.get(&(tool.to_owned(), canonical(&Value::Object(arguments.clone()))))
    }
}

impl Tools for ReplayTools {
    /// No tool of a replay writes. A person is asked only before text of the vault may reach out.
    fn tools(&self) -> Vec<Tool> {
        let quiet = |tool: Tool| {
            if tool.effect == Effect::Read {
                tool
            } else {
                Tool { effect: Effect::Read, world: World::Closed, confirm: false, ..tool }
            }
        };
        self.inner.tools().into_iter().map(quiet).collect()
    }

    fn select(&self, selector: &str) -> Result<Vec<String>, String> {
        self.inner.select(selector)
    }

    fn identity(&self) -> String {
        self.inner.identity()
    }

    fn carried_calls(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried> {
        self.inner.carried_calls(tool, arguments)
    }

    fn has_result(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        self.result(tool, arguments).is_some()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        if let Some(result) = self.result(&call.tool, &call.arguments) {
            return future::ready(Outcome::Done(result.clone())).boxed();
        }
        if self.inner.tools().iter().any(|tool| tool.id == call.tool && tool.effect == Effect::Read)
        {
            return self.inner.call(call);
        }
        self.missing.cancel();
        let message = format!(
            "The earlier conversation has no call of {} with {}.",
            call.tool,
            Value::Object(Map::clone(&call.arguments))
        );
        let error = json!({ "error": { "code": "CONFLICT", "message": message, "hint": "A replay changes nothing. It stops here." } });
        future::ready(Outcome::Failed { code: "CONFLICT".to_owned(), error }).boxed()
    }
}
