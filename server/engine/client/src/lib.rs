//! An MCP client that fetches the tools that a message needs, for programs that fill a model's context
//! themselves. The server need not be built with this engine.
//!
//! The client asks the tool `context` of a server with the `meta` surface. For any other server, the program
//! declares [`ToolRule`]s, and the client selects tools from the server's list. Answers are cached and
//! counted.
#![warn(missing_docs)]

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

/// Options of a client.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Which tools a message needs, for servers without the tool `context`.
    pub rules: Vec<ToolRule>,
    /// How long tools are cached, unless the server says otherwise.
    pub ttl: Duration,
    /// How long to wait for each answer.
    pub patience: Duration,
    /// How to begin the connection.
    pub era: Era,
}

impl Default for ClientOptions {
    /// Returns no rules, a TTL of five minutes, a timeout of 30 seconds, and any supported protocol version.
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            ttl: Duration::from_mins(5),
            patience: Duration::from_secs(30),
            era: Era::default(),
        }
    }
}

/// The tools that a message needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fetched {
    /// The contexts of the message, the most confident first. They convert to [`Previous`].
    pub contexts: Vec<DetectedContext>,
    /// The tools, in the order of the server.
    pub tools: Vec<Tool>,
}

impl Client {
    /// Starts a server, and connects over its standard input and output. The server ends with the client.
    ///
    /// # Errors
    /// If the program does not start, or does not speak MCP.
    pub async fn spawn(command: Command, options: ClientOptions) -> Result<Self, ClientError> {
        let connection = Connection::spawn(command, options.era, options.patience).await?;
        Ok(Self::new(connection, options))
    }

    /// Connects to a server over streamable HTTP. `token` is an access token, if the server needs one.
    ///
    /// # Errors
    /// If the server refuses the connection or the client, or does not speak MCP.
    pub async fn http(
        address: &str,
        token: Option<&str>,
        options: ClientOptions,
    ) -> Result<Self, ClientError> {
        let connection = Connection::http(address, token, options.era, options.patience).await?;
        Ok(Self::new(connection, options))
    }

    fn new(connection: Connection, options: ClientOptions) -> Self {
        Self {
            connection,
            rules: options.rules,
            listings: Listings::new(options.ttl),
            answers: AnswerCache::new(options.ttl),
            usage: Mutex::new(Usage::since_now()),
        }
    }

    /// Returns all tools of the server.
    ///
    /// # Errors
    /// If the server does not answer, or its answer has an unexpected shape.
    pub async fn tools(&self) -> Result<Vec<Tool>, ClientError> {
        let (listing, fresh) = self.listings.get(&self.connection).await?;
        self.count(&listing, listing.tokens, !fresh);
        Ok(listing.tools.clone())
    }

    /// Returns the tools that a message needs; none if no context is detected. For a server of this engine
    /// with the surface `meta`, they are operations, to be called through its `execute` tools.
    ///
    /// # Errors
    /// If the server does not answer, or its answer has an unexpected shape.
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
            Some(tool) => (self.ask_context_tool(tool, message, previous).await?, true),
            None => (self.select_by_rules(&listing, message, previous), asked_for_list),
        };
        let answer = KeptAnswer::new(fetched).await;
        self.count(&listing, answer.tokens, !asked);
        self.answers.insert(key, answer.clone());
        Ok(answer.fetched.clone())
    }

    /// Asks the `context` tool of a server of this engine.
    async fn ask_context_tool(
        &self,
        tool: &str,
        message: &str,
        previous: &Previous,
    ) -> Result<Fetched, ClientError> {
        let mut arguments = Map::new();
        // A server accepts no longer message. The beginning usually shows its contexts.
        let begin = &message[..message.floor_char_boundary(LONGEST_QUERY)];
        arguments.insert("message".to_owned(), begin.into());
        if *previous != Previous::default() {
            arguments.insert("previous".to_owned(), json!(previous.by_name()));
        }
        let result = self.connection.call(tool, arguments).await?;
        answers::parse_answer(&result).ok_or_else(|| ClientError::unexpected(tool, &result))
    }

    /// Selects tools by the rules of this program.
    fn select_by_rules(
        &self,
        listing: &RemoteListing,
        message: &str,
        previous: &Previous,
    ) -> Fetched {
        let contexts =
            extract_contexts(self.rules.iter().map(|rule| &rule.context), message, previous);
        let about = |rule: &&ToolRule| contexts.iter().any(|c| c.name == rule.context.name());
        let rules: Vec<&ToolRule> = self.rules.iter().filter(about).collect();
        let tools = listing.tools.iter();
        let tools = tools.filter(|tool| rules.iter().any(|rule| rule.includes(&tool.name)));
        Fetched { tools: tools.cloned().collect(), contexts }
    }

    /// Calls a tool. Returns the result of `tools/call` as JSON of MCP.
    ///
    /// # Errors
    /// If the server does not answer, or answers with a JSON-RPC error. A tool that fails returns a result
    /// with `isError`.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, ClientError> {
        self.connection.call(tool, arguments).await
    }

    /// Returns the usage since the connection, or the last [`Client::reset_usage`], began.
    pub fn usage(&self) -> Usage {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Starts counting from zero.
    pub fn reset_usage(&self) {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner) = Usage::since_now();
    }

    fn count(&self, listing: &Arc<RemoteListing>, sent: u64, hit: bool) {
        let mut usage = self.usage.lock().unwrap_or_else(PoisonError::into_inner);
        usage.add(listing.tokens, sent, hit);
    }

    /// Closes the connection, and ends the server if this client started it.
    pub async fn close(self) {
        self.connection.close().await;
    }
}
