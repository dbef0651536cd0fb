//! The list of a server's tools, cached as long as the server allows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

use super::connection::Connection;
use super::error::ClientError;

/// Pages of one list. A server with more pages probably never ends its list.
const PAGES: usize = 1000;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name by which it is called.
    pub name: String,
    /// Its entry in `tools/list`, or for an operation of the surface `meta` its signature as a string.
    pub listing: Value,
}

impl Tool {
    /// Returns what a client hands its model: of an entry in `tools/list` without title, annotations and output
    /// schema, and a signature as it is.
    fn to_model_view(&self) -> Value {
        let Value::Object(listing) = &self.listing else { return self.listing.clone() };
        let seen = ["name", "description", "inputSchema"];
        let seen =
            seen.into_iter().filter_map(|key| Some((key.to_owned(), listing.get(key)?.clone())));
        Value::Object(seen.collect())
    }
}

/// The complete list.
#[derive(Debug)]
pub(super) struct RemoteListing {
    /// Increases with each list of a client.
    pub(super) version: u64,
    pub(super) tools: Vec<Tool>,
    /// What the tools cost a model, in o200k tokens.
    pub(super) tokens: u64,
    /// The name of the tool `context`, if the server is one of this engine with the `meta` surface.
    pub(super) context_tool: Option<String>,
}

/// The cached list.
#[derive(Debug)]
pub(super) struct Listings {
    ttl: Duration,
    kept: Mutex<CachedListing>,
}

#[derive(Debug, Default)]
struct CachedListing {
    last: Option<(Arc<RemoteListing>, Instant, Duration)>,
    versions: u64,
}

impl Listings {
    pub(super) fn new(ttl: Duration) -> Self {
        Self { ttl, kept: Mutex::default() }
    }

    /// Returns the list, and whether it was requested from the server. Concurrent callers share one request.
    pub(super) async fn get(
        &self,
        connection: &Connection,
    ) -> Result<(Arc<RemoteListing>, bool), ClientError> {
        let mut kept = self.kept.lock().await;
        let changed = connection.take_tools_changed();
        if let Some((listing, since, ttl)) = &kept.last
            && !changed
            && since.elapsed() < *ttl
        {
            return Ok((listing.clone(), false));
        }
        kept.last = None;
        let (tools, ttl) = fetch(connection).await?;
        kept.versions += 1;
        let listing = Arc::new(RemoteListing::new(kept.versions, tools).await);
        kept.last = Some((listing.clone(), Instant::now(), ttl.unwrap_or(self.ttl)));
        Ok((listing, true))
    }
}

impl RemoteListing {
    async fn new(version: u64, tools: Vec<Tool>) -> Self {
        let tokens = count_tokens(&tools).await;
        let context_tool = context_tool(&tools);
        Self { version, tools, tokens, context_tool }
    }
}

/// Requests all pages. Returns the tools, and the shortest TTL of any page.
async fn fetch(connection: &Connection) -> Result<(Vec<Tool>, Option<Duration>), ClientError> {
    let mut tools = Vec::new();
    let mut ttl: Option<Duration> = None;
    let mut cursor = None;
    for _ in 0..PAGES {
        let page = connection.list_tools(cursor).await?;
        let page_ttl = page.ttl_ms.map(Duration::from_millis);
        ttl = ttl.into_iter().chain(page_ttl).min();
        for tool in page.tools {
            let name = tool.name.to_string();
            #[expect(
                clippy::expect_used,
                reason = "a tool that was read from JSON can be written as JSON"
            )]
            let listing = serde_json::to_value(tool).expect("the tool can be written");
            tools.push(Tool { name, listing });
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok((tools, ttl));
        }
    }
    let reason = format!("the list has more than {PAGES} pages");
    Err(ClientError::Request { method: "tools/list", reason })
}

/// Returns the name of the tool `context`. A server of this engine also has `search_tools` and
/// `describe_tools`, with the same prefix.
fn context_tool(tools: &[Tool]) -> Option<String> {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    let found = tools.iter().find(|tool| {
        let prefix = tool.name.strip_suffix("context");
        let beside = prefix.is_some_and(|prefix| {
            has(&format!("{prefix}search_tools")) && has(&format!("{prefix}describe_tools"))
        });
        beside && tool.listing.pointer("/inputSchema/properties/message").is_some()
    });
    found.map(|tool| tool.name.clone())
}

/// Counts what tools cost a model, in o200k tokens. Runs on a blocking thread, because the first count takes a
/// while.
pub(super) async fn count_tokens(tools: &[Tool]) -> u64 {
    let shown: Value = tools.iter().map(Tool::to_model_view).collect();
    let count = move || toolwrit_tokens::count(&shown.to_string());
    tokio::task::spawn_blocking(count).await.unwrap_or_default() as u64
}
