//! What tests converse with: a note in memory, tools that count their calls, and a scripted model.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolwrit_chat::Ledger;
use toolwrit_chat::conversation::{
    ChatError, Consent, Conversation, Decision, Ended, Nobody, Parts, Question, Settings,
    TurnOptions,
};
use toolwrit_chat::format::{BlockId, Payload};
use toolwrit_chat::notebook::{MemoryNotebook, Notebook};
use toolwrit_chat::provider::{Model, Script, ScriptedModel};
use toolwrit_chat::tools::{Call, Carried, Effect, Outcome, Tool, Tools, World};

/// The note of all tests.
pub(crate) const NOTE: &str = "Chat.md";

/// Ids in the order in which they are made, so that notes are the same in every run.
pub(crate) fn next_id() -> BlockId {
    thread_local! {
        static NEXT: AtomicU64 = const { AtomicU64::new(1) };
    }
    NEXT.with(|next| BlockId::from_number(next.fetch_add(1, Ordering::Relaxed)))
}

/// Tools that count: `vault.read` and `vault.search` read, `vault.append` writes, `vault.delete` destroys, `web.fetch`
/// reaches out, nobody says whether `up.look` does, and `system.batch_get` carries calls. A write with a key that was used
/// returns what it returned before, as the engine does.
#[derive(Default)]
pub(crate) struct CountingTools {
    pub(crate) made: Mutex<Vec<(String, Value)>>,
    pub(crate) answers: Mutex<HashMap<String, Outcome>>,
    keys: Mutex<BTreeMap<BlockId, Outcome>>,
    /// Calls of this tool do not end.
    pub(crate) hanging: Mutex<Option<String>>,
    /// Calls of this tool must be confirmed.
    pub(crate) confirming: Mutex<Option<String>>,
    /// Who decides about results.
    pub(crate) identity: Mutex<String>,
}

impl CountingTools {
    pub(crate) fn made(&self) -> Vec<String> {
        self.made
            .lock()
            .unwrap()
            .iter()
            .map(|(tool, arguments)| format!("{tool} {arguments}"))
            .collect()
    }

    pub(crate) fn answer(&self, tool: &str, result: impl Into<Payload>) {
        self.answers.lock().unwrap().insert(tool.to_owned(), Outcome::Done(result.into()));
    }
}

impl Tools for CountingTools {
    fn tools(&self) -> Vec<Tool> {
        let path = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        let tool = |id: &str, effect, world| Tool {
            effect,
            world,
            confirm: self.confirming.lock().unwrap().as_deref() == Some(id),
            ..Tool::new(id, &format!("The tool {id}."), path.clone())
        };
        vec![
            tool("vault.read", Effect::Read, World::Closed),
            tool("vault.search", Effect::Read, World::Closed),
            tool("vault.append", Effect::Write, World::Closed),
            tool("vault.delete", Effect::Destroy, World::Closed),
            tool("web.fetch", Effect::Read, World::Open),
            tool("up.look", Effect::Read, World::Unknown),
            tool("system.batch_get", Effect::Read, World::Closed),
        ]
    }

    fn carried_calls(&self, tool: &str, arguments: &Map<String, Value>) -> Vec<Carried> {
        let calls = arguments.get("calls").filter(|_| tool == "system.batch_get");
        let carried = |call: &Value| Carried {
            tool: call["tool"].as_str().unwrap_or_default().to_owned(),
            arguments: call["args"].as_object().cloned().unwrap_or_default(),
        };
        calls.and_then(Value::as_array).into_iter().flatten().map(carried).collect()
    }

    fn identity(&self) -> String {
        self.identity.lock().unwrap().clone()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Outcome> {
        async move {
            let writes = matches!(call.tool.as_str(), "vault.append" | "vault.delete");
            if writes && let Some(earlier) = self.keys.lock().unwrap().get(&call.key) {
                return earlier.clone();
            }
            self.made
                .lock()
                .unwrap()
                .push((call.tool.clone(), Value::Object(call.arguments.clone())));
            if self.hanging.lock().unwrap().as_ref() == Some(&call.tool) {
                call.cancellation.cancelled().await;
                return Outcome::Cancelled;
            }
            let default =
                || Outcome::Done(json!({ "tool": call.tool, "arguments": call.arguments }).into());
            let outcome =
                self.answers.lock().unwrap().get(&call.tool).cloned().unwrap_or_else(default);
            if writes {
                self.keys.lock().unwrap().insert(call.key, outcome.clone());
            }
            outcome
        }
        .boxed()
    }
}

/// A person who decides the same each time, and remembers the questions.
pub(crate) struct Person {
    pub(crate) decision: Decision,
    pub(crate) asked: Mutex<Vec<Question>>,
}

impl Person {
    pub(crate) fn who(decision: Decision) -> Arc<Self> {
        Arc::new(Self { decision, asked: Mutex::default() })
    }
}

impl Consent for Person {
    fn ask(&self, question: Question) -> BoxFuture<'_, Decision> {
        self.asked.lock().unwrap().push(question);
        futures::future::ready(self.decision).boxed()
    }
}

/// A note, tools and state that outlive conversations.
pub(crate) struct Desk {
    pub(crate) notebook: Arc<MemoryNotebook>,
    pub(crate) tools: Arc<CountingTools>,
    pub(crate) state: TempDir,
    pub(crate) settings: Settings,
    pub(crate) consent: Arc<dyn Consent>,
    /// What the user has said through the program.
    pub(crate) said: Option<String>,
}

impl Desk {
    /// A desk with a note that has a text which the user has said.
    pub(crate) fn with(text: &str) -> Self {
        let notebook = Arc::new(MemoryNotebook::default());
        notebook.write(NOTE, text);
        Self {
            notebook,
            tools: Arc::default(),
            state: tempfile::tempdir().unwrap(),
            settings: Settings { new_id: next_id, ..Settings::default() },
            consent: Arc::new(Nobody),
            said: Some(text.to_owned()),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.notebook.read(NOTE).unwrap().text
    }

    /// The file with what is known about the calls of the note.
    pub(crate) fn ledger(&self) -> PathBuf {
        let mut files = fs::read_dir(self.state.path()).unwrap().map(|entry| entry.unwrap().path());
        files.find(|path| path.extension().is_some_and(|extension| extension == "jsonl")).unwrap()
    }

    pub(crate) fn conversation(&self, model: Arc<dyn Model>) -> Conversation {
        self.conversation_with(model, Arc::clone(&self.tools) as Arc<dyn Tools>)
    }

    pub(crate) fn conversation_with(
        &self,
        model: Arc<dyn Model>,
        tools: Arc<dyn Tools>,
    ) -> Conversation {
        Conversation::new(Parts {
            notebook: Arc::clone(&self.notebook) as Arc<dyn Notebook>,
            note: NOTE.to_owned(),
            tools,
            model,
            consent: Arc::clone(&self.consent),
            ledger: Ledger::open(self.state.path(), NOTE).unwrap(),
            settings: self.settings.clone(),
        })
    }

    pub(crate) async fn turn(
        &self,
        scripts: impl IntoIterator<Item = Script>,
    ) -> (Ended, Arc<ScriptedModel>) {
        self.turn_with(scripts, TurnOptions::default()).await
    }

    pub(crate) async fn turn_with(
        &self,
        scripts: impl IntoIterator<Item = Script>,
        options: TurnOptions,
    ) -> (Ended, Arc<ScriptedModel>) {
        let (ended, model) = self.try_turn(scripts, options).await;
        (ended.unwrap(), model)
    }

    pub(crate) async fn try_turn(
        &self,
        scripts: impl IntoIterator<Item = Script>,
        options: TurnOptions,
    ) -> (Result<Ended, ChatError>, Arc<ScriptedModel>) {
        let options = TurnOptions { said: options.said.or_else(|| self.said.clone()), ..options };
        let model = Arc::new(ScriptedModel::new(scripts));
        let ended = self.conversation(Arc::clone(&model) as Arc<dyn Model>).turn(options).await;
        (ended, model)
    }
}

/// A call of a tool with a path.
pub(crate) fn call(script: Script, tool: &str, path: &str) -> Script {
    script.call(tool, json!({ "path": path }))
}
