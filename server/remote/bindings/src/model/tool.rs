use serde::Deserialize;

use super::{Effect, Entry, List, ResultTable, Setting, SettingOrText, Text, Variable, Word};

/// A server with tools, as a provider in the manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Server {
    /// The name of the provider, such as `git`.
    pub name: Text,
    /// What the operator must say.
    pub settings: List<Setting>,
    /// Where it is.
    pub endpoint: Endpoint,
    /// The file with the tools as they were approved, among the sources of the manifest.
    pub lock: Text,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// A program of this machine.
    Command {
        /// The program: a name, or an absolute path.
        program: Text,
        /// The words after the program. Their values are settings.
        words: List<Word>,
        /// The folder in which it runs; `None` for that of this process.
        folder: Option<SettingOrText>,
        /// The variables that it sees besides the usual ones.
        environment: List<Variable>,
    },
    /// A server elsewhere.
    Remote {
        url: SettingOrText,
        /// Headers of each request.
        headers: List<Variable>,
        /// The setting with a bearer token.
        bearer: Option<Text>,
    },
}

/// How an operation is bound to a tool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Tool {
    /// Its id, such as `git.log`.
    pub id: Text,
    /// Whether it changes something.
    pub effect: Effect,
    /// Whether a second call does nothing that the first has not done.
    pub idempotent: bool,
    /// The name by which the server lists the tool.
    pub tool: Text,
    pub arguments: List<Entry>,
    /// How the result is read from the answer; `None` if the answer does not matter.
    pub result: Option<ToolResult>,
}

/// How the result is read from the answer of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolResult {
    /// The content blocks as they are.
    Content,
    /// A value of the structured content, or the text of the content blocks.
    Value(ResultTable),
}
