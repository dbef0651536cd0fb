//! Lock files: the tools of an upstream as someone has approved them. A tool that is no longer the same cannot be
//! called until it is approved again.

mod comparison;
mod location;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toolwrit_text::hex::Hex;
use toolwrit_words::Effect;

use crate::tools::{ServerInfo, Tool, ToolList};
pub use comparison::{Change, Verdict};
pub use location::Location;

/// The version of the format. The first one has no location, and no numbers of approvals.
const FORMAT: u32 = 2;
/// Where a lock file comes from, for those who find one.
const HEAD: &str = "\
# The tools of another MCP server as they were approved. Do not edit: a tool whose hash is wrong is refused.
";

/// The tools of an upstream as they were approved.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    server: ServerInfo,
    location: Option<Location>,
    tools: BTreeMap<String, Approved>,
}

/// A tool as it was approved.
#[derive(Debug, Clone, PartialEq)]
struct Approved {
    json: Map<String, Value>,
    sha256: String,
    /// The number of the approval that approved a tool of this name first.
    approval: u64,
    /// What it may do, and who has said so.
    effect: Option<(Effect, Adopted)>,
}

/// Who has said what an approved tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Adopted {
    /// Its annotations, which someone has adopted.
    Annotations,
    /// Who approved it.
    Operator,
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
        "the lock file has format {0}, and this version reads formats 1 to {FORMAT}; update this program"
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
    #[serde(rename = "place", default, skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
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
    #[serde(default, skip_serializing_if = "String::is_empty")]
    instructions: String,
    offered: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTool {
    sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    approval: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effect: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Adopted>,
    tool: Map<String, Value>,
}

impl Lock {
    /// Approves all tools of a list that can be used, wherever the upstream is.
    pub fn new(server: ServerInfo, list: &ToolList) -> Self {
        let tools = list.tools().iter();
        let tools = tools.map(|tool| (tool.name().to_owned(), Approved::new(tool.json().clone())));
        Self { server, location: None, tools: tools.collect() }
    }

    /// Approves them for this location only.
    #[must_use]
    pub fn for_location(self, location: Location) -> Self {
        Self { location: Some(location), ..self }
    }

    /// Numbers the tools: those that were approved before keep their number, and the others get this one.
    #[must_use]
    pub fn numbered(mut self, before: Option<&Self>, number: u64) -> Self {
        for (name, tool) in &mut self.tools {
            let known = before.and_then(|before| before.tools.get(name));
            tool.approval = known.map_or(number, |known| known.approval);
            let same = known.filter(|known| known.sha256 == tool.sha256);
            tool.effect = tool.effect.or(same.and_then(|known| known.effect));
        }
        self
    }

    /// Approves only the tools of these names, and leaves the others of the list as they were before.
    #[must_use]
    pub fn selecting(mut self, before: Option<&Self>, is_wanted: impl Fn(&str) -> bool) -> Self {
        let before = |name: &str| before.and_then(|before| before.tools.get(name));
        self.tools.retain(|name, tool| match before(name) {
            _ if is_wanted(name) => true,
            Some(known) => {
                tool.clone_from(known);
                true
            }
            None => false,
        });
        self
    }

    /// Says what an approved tool may do.
    pub fn adopt(&mut self, tool: &str, effect: Effect, from: Adopted) {
        if let Some(tool) = self.tools.get_mut(tool) {
            tool.effect = Some((effect, from));
        }
    }

    /// Reads a lock file.
    ///
    /// # Errors
    /// If the text has another form, or a tool is not the one whose hash it has.
    pub fn parse(text: &str) -> Result<Self, BadLock> {
        let form = |error: serde_yaml::Error| BadLock::Form(error.to_string());
        let file: File = serde_yaml::from_str(text).map_err(form)?;
        if !(1..=FORMAT).contains(&file.format) {
            return Err(BadLock::Format(file.format));
        }
        let tools = file.tools.into_iter().map(|(name, tool)| {
            let approved = Approved::new(tool.tool);
            let named = approved.json.get("name").and_then(Value::as_str) == Some(&name);
            if !named || approved.sha256 != tool.sha256 {
                return Err(BadLock::Hash(name));
            }
            let effect = match &tool.effect {
                Some(word) => {
                    let found = Effect::ALL.into_iter().find(|effect| effect.as_str() == word);
                    let what = || BadLock::Form(format!("`{word}` is not an effect"));
                    Some((found.ok_or_else(what)?, tool.from.unwrap_or(Adopted::Operator)))
                }
                None => None,
            };
            let approval = tool.approval.unwrap_or_default();
            Ok((name, Approved { approval, effect, ..approved }))
        });
        let FileServer { name, version, protocol, capabilities, instructions, offered } =
            file.server;
        let server = ServerInfo { name, version, protocol, capabilities, instructions, offered };
        Ok(Self { server, location: file.location, tools: tools.collect::<Result<_, _>>()? })
    }

    /// Writes the lock file, as YAML.
    ///
    /// # Errors
    /// If the tools cannot be written as YAML.
    pub fn write(&self) -> Result<String, BadLock> {
        let tools = self.tools.iter().map(|(name, approved)| {
            let Approved { json, sha256, approval, effect } = approved.clone();
            let approval = (approval > 0).then_some(approval);
            let (effect, from) = effect.unzip();
            let effect = effect.map(|effect| effect.as_str().to_owned());
            (name.clone(), FileTool { sha256, approval, effect, from, tool: json })
        });
        let ServerInfo { name, version, protocol, capabilities, instructions, offered } =
            self.server.clone();
        let server = FileServer { name, version, protocol, capabilities, instructions, offered };
        let location = self.location.clone();
        let file = File { format: FORMAT, location, server, tools: tools.collect() };
        let text =
            serde_yaml::to_string(&file).map_err(|error| BadLock::Form(error.to_string()))?;
        Ok(format!("{HEAD}{text}"))
    }

    /// The upstream whose tools were approved.
    pub fn server(&self) -> &ServerInfo {
        &self.server
    }

    /// The location for which the tools were approved; `None` if the approval does not say.
    pub fn location(&self) -> Option<&Location> {
        self.location.as_ref()
    }

    /// The number of the approval that approved a tool first. Tools that were approved before approvals had numbers, and tools
    /// that are not approved, have 0.
    pub fn approval(&self, tool: &str) -> u64 {
        self.tools.get(tool).map_or(0, |locked| locked.approval)
    }

    /// The largest number of an approval.
    pub fn last_approval(&self) -> u64 {
        self.tools.values().map(|locked| locked.approval).max().unwrap_or_default()
    }

    /// Identifies what is approved: the tools, what the server says about itself, and the location. SHA-256 in hexadecimal.
    pub fn digest(&self) -> String {
        let ServerInfo { name, version, protocol, capabilities, instructions, offered } =
            &self.server;
        let tools: BTreeMap<_, _> =
            self.tools.iter().map(|(name, locked)| (name, &locked.sha256)).collect();
        hash(&json!({
            "place": self.location,
            "server": {
                "name": name, "version": version, "protocol": protocol,
                "capabilities": capabilities, "instructions": instructions, "offered": offered,
            },
            "tools": tools,
        }))
    }

    /// The names of the approved tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// The approved tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = Tool> {
        self.tools.values().filter_map(|approved| {
            let effect = approved.effect.map(|(effect, _)| effect);
            Some(Tool::new(approved.json.clone())?.with_effect(effect))
        })
    }

    /// Approves a tool as it is listed, instead of what was approved before.
    pub fn approve(&mut self, tool: &Tool) {
        let approval = self.approval(tool.name());
        let approved = Approved { approval, ..Approved::new(tool.json().clone()) };
        self.tools.insert(tool.name().to_owned(), approved);
    }

    /// Withdraws the approval of a tool. Returns whether there was one.
    pub fn withdraw(&mut self, name: &str) -> bool {
        self.tools.remove(name).is_some()
    }
}

impl Approved {
    fn new(json: Map<String, Value>) -> Self {
        let sha256 = hash(&json);
        Self { json, sha256, approval: 0, effect: None }
    }
}

/// Returns SHA-256 of the canonical form, in hexadecimal.
fn hash(json: &impl Serialize) -> String {
    Hex(&Sha256::digest(canonical(json))).to_string()
}

/// Returns the canonical form of RFC 8785. Equal bytes mean equal JSON.
fn canonical(json: &impl Serialize) -> Vec<u8> {
    #[expect(clippy::expect_used, reason = "JSON in memory has text keys and finite numbers")]
    serde_json_canonicalizer::to_vec(json).expect("JSON can be written")
}
