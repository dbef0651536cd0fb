//! Reads the upstreams that other programs are configured with: those of the table of clients.

mod document;
mod entry;
mod forms;
mod template;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::{Command, Endpoint, Remote};
pub use template::{Template, Unset};

/// Size limit of a configuration, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Who writes the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Claude Desktop, Cursor and others: JSON with `mcpServers`. VS Code: JSON with `servers`.
    Json,
    /// Codex: TOML with `mcp_servers`.
    Toml,
    /// Goose: YAML with `extensions`. Continue: YAML with a list `mcpServers`.
    Yaml,
}

impl Format {
    /// The format of a file, by the end of its name.
    pub fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }
}

/// How variables are written, besides `${NAME}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variables {
    /// Not in another way.
    #[default]
    Braced,
    /// Gemini CLI: `$NAME`, too.
    Bare,
}

/// An upstream in a configuration. Its texts may name variables of the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    pub name: String,
    /// Where it is.
    pub target: Target,
    /// Whether the configuration switches it off.
    pub disabled: bool,
    /// How long it may take to start, if the configuration says.
    pub start_timeout: Option<Duration>,
    /// How long a call may take, if the configuration says.
    pub call_timeout: Option<Duration>,
    /// The only tools that may be used; all if `None`.
    pub only: Option<Vec<String>>,
    /// Tools that may not be used.
    pub except: Vec<String>,
    /// How its user logs in, if the configuration says.
    pub login: Option<Login>,
    /// What the configuration says besides, and is left out.
    pub left_out: Vec<Problem>,
}

/// How a user logs in to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Login {
    pub client_id: Option<String>,
    /// The port of the redirect address on this machine.
    pub port: Option<u16>,
    /// Separated by spaces.
    pub scope: Option<String>,
}

/// Where an imported upstream is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program.
    Command {
        program: Template,
        arguments: Vec<Template>,
        /// Its variables.
        environment: BTreeMap<String, Template>,
        /// Its working directory.
        directory: Option<Template>,
    },
    /// A server over streamable HTTP.
    Remote {
        /// Its address.
        url: Template,
        /// Headers of each request.
        headers: BTreeMap<String, Template>,
    },
}

/// Why a configuration, or an entry of it, cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", pointer_prefix(.pointer))]
#[non_exhaustive]
pub struct Problem {
    /// Where, as a JSON pointer. Empty for the whole file.
    pub pointer: String,
    /// What is wrong, and what is expected.
    pub message: String,
}

fn pointer_prefix(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!("{pointer}: ") }
}

impl Problem {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

/// An entry of a configuration: an upstream, or all reasons why it cannot be imported.
pub type Entry = Result<Imported, Vec<Problem>>;

/// Reads the entries of a configuration.
///
/// # Errors
/// Why the file has none.
pub fn parse(text: &str, format: Format, variables: Variables) -> Result<Vec<Entry>, Problem> {
    let servers = document::servers(text, format)?;
    let entries = servers
        .iter()
        .map(|found| entry::read(&found.name, &found.entry, &found.pointer, variables));
    Ok(entries.collect())
}

impl Imported {
    /// Replaces the variables in all texts, and returns where the upstream is.
    ///
    /// # Errors
    /// The first variable that is not set and has no other value.
    pub fn endpoint(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Endpoint, Unset> {
        let fill = |template: &Template| template.fill(&variable);
        match &self.target {
            Target::Command { program, arguments, environment, directory } => {
                let arguments = arguments.iter().map(fill).collect::<Result<Vec<_>, _>>()?;
                let mut command = Command::new(fill(program)?, arguments);
                for (name, value) in environment {
                    command = command.with_variable(name, fill(value)?);
                }
                command.directory = directory.as_ref().map(fill).transpose()?.map(PathBuf::from);
                Ok(Endpoint::Command(command))
            }
            Target::Remote { url, headers } => {
                let mut remote = Remote::new(fill(url)?);
                for (name, value) in headers {
                    remote = remote.with_header(name, fill(value)?);
                }
                Ok(Endpoint::Remote(remote))
            }
        }
    }
}
