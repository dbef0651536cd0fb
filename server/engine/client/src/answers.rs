//! A cache of the tools that messages needed.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use serde_json::{Value, json};

use super::Fetched;
use super::listing::{Tool, count_tokens};
use toolwrit_retrieval::contexts::{DetectedContext, Previous};

/// Messages to keep. The least frequently used ones are evicted first.
const KEPT: u64 = 256;

/// The cached answers, by key, until they expire.
#[derive(Debug)]
pub(super) struct AnswerCache(Cache<AnswerKey, Arc<KeptAnswer>>);

/// A message and its previous contexts, with the version of the tool list.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct AnswerKey {
    version: u64,
    message: String,
    previous: String,
}

/// The tools that a message needs, and their cost.
#[derive(Debug)]
pub(super) struct KeptAnswer {
    pub(super) fetched: Fetched,
    /// o200k tokens of the tools as an array of compact JSON.
    pub(super) tokens: u64,
}

impl AnswerKey {
    pub(super) fn new(version: u64, message: &str, previous: &Previous) -> Self {
        let previous = json!(previous.by_name()).to_string();
        Self { version, message: message.to_owned(), previous }
    }
}

impl KeptAnswer {
    pub(super) async fn new(fetched: Fetched) -> Arc<Self> {
        let tokens = count_tokens(&fetched.tools).await;
        Arc::new(Self { fetched, tokens })
    }
}

impl AnswerCache {
    pub(super) fn new(ttl: Duration) -> Self {
        Self(Cache::builder().max_capacity(KEPT).time_to_live(ttl).build())
    }

    pub(super) fn get(&self, key: &AnswerKey) -> Option<Arc<KeptAnswer>> {
        self.0.get(key)
    }

    pub(super) fn insert(&self, key: AnswerKey, answer: Arc<KeptAnswer>) {
        self.0.insert(key, answer);
    }
}

/// Parses the result of the tool `context`; `None` if it has another shape.
pub(super) fn parse_answer(result: &Value) -> Option<Fetched> {
    if result["isError"] == true {
        return None;
    }
    let text = result.pointer("/content/0/text")?.as_str()?;
    let answer: Value = serde_json::from_str(text).ok()?;
    let contexts: Vec<DetectedContext> =
        serde_json::from_value(answer.get("contexts")?.clone()).ok()?;
    let lines = answer.get("tools")?.as_array()?;
    let tools = lines.iter().map(|line| {
        let (name, _) = line.as_str()?.split_once('(')?;
        Some(Tool { name: name.to_owned(), listing: line.clone() })
    });
    Some(Fetched { contexts, tools: tools.collect::<Option<_>>()? })
}
