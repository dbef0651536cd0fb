//! A client of MCP servers, of this engine or not, that fetches the tools which a message needs: for
//! programs that put tools before a model themselves.
//!
//! Of a server with the `meta` surface it asks the tool `context`. For any other server the program has
//! [`ToolRule`]s of its own, and tools are chosen from the list here. What was fetched is kept for a
//! while, and counted.

mod answers;
mod connection;
mod error;
mod listing;
mod rules;
mod usage;

use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value, json};

use answers::{AnswerCache, KeptAnswer};
use connection::Connection;
use listing::{Listings, RemoteListing};
use toolwrit_retrieval::LONGEST_QUERY;
use toolwrit_retrieval::contexts::{DetectedContext, Previous, extract_contexts};

pub use connection::Era;
pub use error::ClientError;
pub use listing::Tool;
pub use rules::ToolRule;
pub use usage::Usage;

/// A connection to an MCP server.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    rules: Vec<ToolRule>,
    listings: Listings,
    answers: AnswerCache,
    usage: Mutex<Usage>,
}

/// How to be a client.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which tools a message needs, of a server that does not know itself.
    pub rules: Vec<ToolRule>,
    /// How long tools are kept where the server does not say.
    pub ttl: Duration,
    /// How long to wait for each answer.
    pub patience: Duration,
    /// How to begin.
    pub era: Era,
}

impl Default for Options {
    /// Without rules; five minutes, 30 seconds, and any revision that the server speaks.
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            ttl: Duration::from_mins(5),
            patience: Duration::from_secs(30),
            era: Era::default(),
        }
    }
}

/// What a message needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fetched {
    /// What the message is about, the most confident first. [`Previous`] can be made of it.
    pub contexts: Vec<DetectedContext>,
    /// The tools, in the order of the server.
    pub tools: Vec<Tool>,
}

impl Client {
    /// Starts a server and talks to it over its standard input and output. It ends with the client.
    ///
    /// # Errors
    /// When the program does not start, or does not speak MCP.
    pub async fn spawn(command: Command, options: Options) -> Result<Self, ClientError> {
        let connection = Connection::spawn(command, options.era, options.patience).await?;
        Ok(Self::new(connection, options))
    }

    /// Connects to a server over streamable HTTP, with an access token where it needs one.
    ///
    /// # Errors
    /// When the address refuses connections, refuses this client, or does not speak MCP.
    pub async fn http(
        address: &str,
        token: Option<&str>,
        options: Options,
    ) -> Result<Self, ClientError> {
        let connection = Connection::http(address, token, options.era, options.patience).await?;
        Ok(Self::new(connection, options))
    }

    fn new(connection: Connection, options: Options) -> Self {
        Self {
            connection,
            rules: options.rules,
            listings: Listings::new(options.ttl),
            answers: AnswerCache::new(options.ttl),
            usage: Mutex::new(Usage::since_now()),
        }
    }

    /// All tools of the server.
    ///
    /// # Errors
    /// When the server does not answer, or with something else.
    pub async fn tools(&self) -> Result<Vec<Tool>, ClientError> {
        let (listing, fresh) = self.listings.get(&self.connection).await?;
        self.count(&listing, listing.tokens, !fresh);
        Ok(listing.tools.clone())
    }

    /// The tools that a message needs: none, when it is about nothing that is known. Of a server of this
    /// engine with the surface `meta` they are operations, to be called through its tools `execute`.
    ///
    /// # Errors
    /// When the server does not answer, or with something else.
    pub async fn tools_for(
        &self,
        message: &str,
        previous: &Previous,
    ) -> Result<Fetched, ClientError> {
        let (listing, asked_for_list) = self.listings.get(&self.connection).await?;
        let key = answers::AnswerKey::new(listing.version, message, previous);
        if let Some(answer) = self.answers.get(&key) {
            self.count(&listing, answer.tokens, !asked_for_list);
            return Ok(answer.fetched.clone());
        }
        let (fetched, asked) = match &listing.context_tool {
            Some(tool) => (self.ask(tool, message, previous).await?, true),
            None => (self.choose(&listing, message, previous), asked_for_list),
        };
        let answer = KeptAnswer::new(fetched).await;
        self.count(&listing, answer.tokens, !asked);
        self.answers.keep(key, answer.clone());
        Ok(answer.fetched.clone())
    }

    /// The `context` tool of a server of this engine.
    async fn ask(
        &self,
        tool: &str,
        message: &str,
        previous: &Previous,
    ) -> Result<Fetched, ClientError> {
        let mut arguments = Map::new();
        // A server takes no more; what a message is about is said at its beginning.
        let begin = &message[..message.floor_char_boundary(LONGEST_QUERY)];
        arguments.insert("message".to_owned(), begin.into());
        if *previous != Previous::default() {
            arguments.insert("previous".to_owned(), json!(previous.by_name()));
        }
        let result = self.connection.call(tool, arguments).await?;
        answers::read(&result).ok_or_else(|| ClientError::unexpected(tool, &result))
    }

    /// By the rules of this program.
    fn choose(&self, listing: &RemoteListing, message: &str, previous: &Previous) -> Fetched {
        let contexts =
            extract_contexts(self.rules.iter().map(|rule| &rule.context), message, previous);
        let about = |rule: &&ToolRule| contexts.iter().any(|c| c.name == rule.context.name());
        let rules: Vec<&ToolRule> = self.rules.iter().filter(about).collect();
        let tools = listing.tools.iter();
        let tools = tools.filter(|tool| rules.iter().any(|rule| rule.includes(&tool.name)));
        Fetched { tools: tools.cloned().collect(), contexts }
    }

    /// Calls a tool. The answer is the result of `tools/call`, as the protocol has it.
    ///
    /// # Errors
    /// When the server does not answer, or with an error of the protocol. A tool that fails gives a
    /// result with `isError`.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ClientError> {
        self.connection.call(tool, arguments).await
    }

    /// What was fetched since the beginning, or the last [`Client::reset_usage`].
    pub fn usage(&self) -> Usage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts counting anew.
    pub fn reset_usage(&self) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Usage::since_now();
    }

    fn count(&self, listing: &Arc<RemoteListing>, sent: u64, hit: bool) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.add(listing.tokens, sent, hit);
    }

    /// Ends the connection, and the server when it was started here.
    pub async fn close(self) {
        self.connection.close().await;
    }
}
