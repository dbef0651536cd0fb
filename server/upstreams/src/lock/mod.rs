//! Lock files: the tools of an upstream as someone has approved them. A tool that is no longer the same cannot be
//! called until it is approved again.

mod comparison;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::tools::{ServerInfo, Tool, ToolList};
pub use comparison::{Change, Verdict};

/// The version of the format.
const FORMAT: u32 = 1;
/// Where a lock file comes from, for those who find one.
const HEAD: &str = "\
# The tools of another MCP server as they were approved. Do not edit: a tool whose hash is wrong is refused.
";

/// The tools of an upstream as they were approved.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    server: ServerInfo,
    tools: BTreeMap<String, Approved>,
}

/// A tool as it was approved.
#[derive(Debug, Clone, PartialEq)]
struct Approved {
    json: Map<String, Value>,
    sha256: String,
}

/// Text that is not a lock file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLock {
    /// The text has another form.
    #[error("the lock file cannot be read: {0}")]
    Form(String),
    /// The format is a newer one.
    #[error(
        "the lock file has format {0}, and this version reads format {FORMAT}; update this program"
    )]
    Format(u32),
    /// A tool was changed without its hash, or a hash without its tool.
    #[error("the tool `{0}` in the lock file was changed by hand; approve the upstream again")]
    Hash(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    server: FileServer,
    tools: BTreeMap<String, FileTool>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileServer {
    name: String,
    version: String,
    protocol: String,
    capabilities: Value,
    offered: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTool {
    sha256: String,
    tool: Map<String, Value>,
}

impl Lock {
    /// Approves all tools of a list that can be used.
    pub fn new(server: ServerInfo, list: &ToolList) -> Self {
        let tools = list.tools().iter();
        let tools = tools.map(|tool| (tool.name().to_owned(), Approved::new(tool.json().clone())));
        Self { server, tools: tools.collect() }
    }

    /// Reads a lock file.
    ///
    /// # Errors
    /// If the text has another form, or a tool is not the one whose hash it has.
    pub fn parse(text: &str) -> Result<Self, BadLock> {
        let form = |error: serde_yaml::Error| BadLock::Form(error.to_string());
        let file: File = serde_yaml::from_str(text).map_err(form)?;
        if file.format != FORMAT {
            return Err(BadLock::Format(file.format));
        }
        let tools = file.tools.into_iter().map(|(name, tool)| {
            let approved = Approved::new(tool.tool);
            let named = approved.json.get("name").and_then(Value::as_str) == Some(&name);
            if !named || approved.sha256 != tool.sha256 {
                return Err(BadLock::Hash(name));
            }
            Ok((name, approved))
        });
        let FileServer { name, version, protocol, capabilities, offered } = file.server;
        let server = ServerInfo { name, version, protocol, capabilities, offered };
        Ok(Self { server, tools: tools.collect::<Result<_, _>>()? })
    }

    /// Writes the lock file, as YAML.
    ///
    /// # Errors
    /// If the tools cannot be written as YAML.
    pub fn write(&self) -> Result<String, BadLock> {
        let tools = self.tools.iter().map(|(name, approved)| {
            let tool = FileTool { sha256: approved.sha256.clone(), tool: approved.json.clone() };
            (name.clone(), tool)
        });
        let ServerInfo { name, version, protocol, capabilities, offered } = self.server.clone();
        let server = FileServer { name, version, protocol, capabilities, offered };
        let file = File { format: FORMAT, server, tools: tools.collect() };
        let text =
            serde_yaml::to_string(&file).map_err(|error| BadLock::Form(error.to_string()))?;
        Ok(format!("{HEAD}{text}"))
    }

    /// The upstream whose tools were approved.
    pub fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// The names of the approved tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// The approved tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = Tool> {
        self.tools.values().filter_map(|approved| Tool::new(approved.json.clone()))
    }

    /// Approves a tool as it is listed, instead of what was approved before.
    pub fn approve(&mut self, tool: &Tool) {
        self.tools.insert(tool.name().to_owned(), Approved::new(tool.json().clone()));
    }

    /// Withdraws the approval of a tool. Returns whether there was one.
    pub fn withdraw(&mut self, name: &str) -> bool {
        self.tools.remove(name).is_some()
    }
}

impl Approved {
    fn new(json: Map<String, Value>) -> Self {
        let sha256 = hash(&json);
        Self { json, sha256 }
    }
}

/// Returns SHA-256 of the canonical form, in hexadecimal.
fn hash(json: &Map<String, Value>) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(canonical(json)) {
        // Writing to a text does not fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Returns the canonical form of RFC 8785. Equal bytes mean equal JSON.
fn canonical(json: &impl Serialize) -> Vec<u8> {
    // JSON in memory has text keys and finite numbers, so that writing it does not fail.
    serde_json_canonicalizer::to_vec(json).unwrap_or_default()
}
