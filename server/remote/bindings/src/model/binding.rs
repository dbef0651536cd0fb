use serde::Deserialize;

use super::{Api, Command, Commands, Operation, Server, Tool};

/// How a provider is reached.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderTable {
    /// By requests to an HTTP API.
    Http(Box<Api>),
    /// By commands of the server's machine.
    Command(Commands),
    /// By calls of the tools of another server.
    Mcp(Server),
}

/// How an operation is bound to its provider.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationTable {
    /// To a request.
    Http(Box<Operation>),
    Command(Command),
    Mcp(Tool),
}
