//! What the operator says about an upstream: the table `[upstreams.NAME]` of a configuration file.

mod container;
mod definition;
mod keys;
mod oauth;
mod reader;
pub(crate) mod shown;
mod tools;
mod values;

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};
use toolwrit_bindings::{ClientGrant, SecretSource};
use toolwrit_core::policy::Unmatched;
use toolwrit_text::wildcard::matches;
use toolwrit_upstreams::import::{Imported, Target};
use toolwrit_upstreams::model::Start;
use toolwrit_upstreams::{Location, Lock, Network, ToolList};

use crate::login::LoginSettings;
use container::Container;
use reader::Reader;
pub(crate) use tools::{Fixed, ToolSettings};

/// Characters of the longest name of an upstream.
pub const MAX_NAME: usize = 32;

/// What the operator says about an upstream.
#[derive(Debug, Clone)]
pub struct UpstreamSettings {
    /// Its name, which is that of its category.
    pub name: String,
    /// Whether it is served.
    pub is_enabled: bool,
    pub(crate) timeout: Option<Duration>,
    /// By the names of tools.
    pub(crate) tools: BTreeMap<String, ToolSettings>,
    /// The only tools that are operations, as names and patterns; all if `None`.
    only: Option<Vec<String>>,
    /// Tools that are no operations, as names and patterns.
    except: Vec<String>,
    pub(crate) trusts_annotations: bool,
    pub(crate) passes: Passes,
    pub(crate) result_bytes: Option<u64>,
    start: Start,
    start_timeout: Option<Duration>,
    networks: Vec<Network>,
    /// How its access tokens are issued.
    grant: Option<ClientGrant>,
    /// How the user logs in.
    login: Option<LoginSettings>,
    imported: Imported,
    /// The container in which its program runs.
    container: Option<Container>,
    secrets: Vec<(SecretTarget, SecretSource)>,
}

/// What passes through, besides calls of tools.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "any of them may go with any other")]
pub(crate) struct Passes {
    /// Questions to the users of callers.
    questions: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    /// What the operator has approved of its instructions.
    pub(crate) instructions: bool,
}

/// The secrets that are always sent as arguments, by tool.
pub(crate) type FixedSecrets = BTreeMap<String, Vec<(String, SecretString)>>;

/// Where a secret is used.
#[derive(Debug, Clone)]
enum SecretTarget {
    Variable(String),
    Header(String),
    /// The header `Authorization`, as a bearer token.
    Token,
}

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SettingProblem {
    /// The key in the table of the upstream; `None` for the table.
    pub key: Option<String>,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// Whether a text can be the name of an upstream: small letters, digits, `-` and `_`, beginning with a letter.
pub fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(is_plain)
        && text.len() <= MAX_NAME
}

impl UpstreamSettings {
    /// Reads a table. Paths are relative to the folder of this process.
    ///
    /// # Errors
    /// All its problems.
    pub fn parse(name: &str, table: &Map<String, Value>) -> Result<Self, Vec<SettingProblem>> {
        Reader::new(table).settings(name)
    }

    /// Where it is, which an approval is for.
    pub fn location(&self) -> Location {
        Location::from(&self.imported.target)
    }

    /// What the operator says about a tool.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolSettings> {
        self.tools.get(name)
    }

    /// Whether a tool is an operation, if it is approved.
    pub fn offers(&self, tool: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| matches(name, tool));
        self.only.as_deref().is_none_or(named)
            && !named(&self.except)
            && !self.tool(tool).is_some_and(|settings| settings.hide)
    }

    /// The names of tools and their arguments that tables have, and that no tool has: `tools.git_lgo`.
    pub fn unknown_tools(&self, tools: &ToolList) -> Vec<String> {
        let unknown = self.tools.iter().flat_map(|(name, said)| match tools.get(name) {
            None => vec![format!("{}.{name}", said.key.unwrap_or("tools"))],
            Some(tool) => shown::unknown(tool, said)
                .map(|argument| format!("tools.{name}.args.{argument}"))
                .collect(),
        });
        unknown.collect()
    }

    /// The patterns of `only` and `except` that match none of these tools.
    pub(crate) fn unmatched(&self, tools: &Lock) -> Vec<Unmatched> {
        let only = self.only.iter().flatten().map(|name| ("only", name));
        let except = self.except.iter().map(|name| ("except", name));
        let is_unknown = |name: &str| !tools.names().any(|tool| matches(name, tool));
        let unknown = only.chain(except).filter(|(_, name)| is_unknown(name));
        let unmatched = unknown.map(|(key, name)| {
            let key = format!("upstreams.{}.{key}", self.name);
            Unmatched::new(key, name, &self.name, tools.names())
        });
        unmatched.collect()
    }

    /// Whether a tool or an argument gets another name.
    pub(crate) fn renames(&self) -> bool {
        self.tools.values().any(|said| {
            said.name.is_some() || said.arguments.values().any(|said| said.name.is_some())
        })
    }

    /// Whether any tool is left out by name.
    pub(crate) fn selects(&self) -> bool {
        self.only.is_some() || !self.except.is_empty()
    }

    /// Why a name that the configuration gives cannot be used beside these tools, with its key.
    pub(crate) fn collision(&self, lock: &Lock) -> Option<String> {
        let mut tools = lock.tools();
        tools.find_map(|tool| {
            let said = self.tool(tool.name())?;
            let key = format!("upstreams.{}.tools.{}", self.name, tool.name());
            let renamed = said.name.as_ref().filter(|new| *new != tool.name());
            if let Some(new) = renamed.filter(|new| lock.names().any(|name| name == *new)) {
                return Some(format!("[{key}] name: {} has a tool `{new}`, too", self.name));
            }
            let new = shown::taken(&tool, said).next()?;
            Some(format!("[{key}] args: the tool has an argument `{new}`, too"))
        })
    }

    /// The program and its arguments as they are written; empty for an address.
    pub fn words(&self) -> Vec<String> {
        match &self.imported.target {
            Target::Command { program, arguments, .. } => {
                [program].into_iter().chain(arguments).map(ToString::to_string).collect()
            }
            Target::Remote { .. } => Vec::new(),
        }
    }

    /// Identifies what it is: the program with its arguments and its folder, or the address.
    pub(crate) fn identity(&self) -> String {
        match &self.imported.target {
            Target::Command { directory, .. } => {
                let folder = directory.as_ref().map(ToString::to_string);
                format!("{:?} in {}", self.words(), folder.unwrap_or_default())
            }
            Target::Remote { url, .. } => url.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(table: Value) -> Result<UpstreamSettings, Vec<SettingProblem>> {
        let Value::Object(table) = table else { panic!("a table") };
        UpstreamSettings::parse("git", &table)
    }

    fn problems(table: Value) -> Vec<String> {
        let problems = parse(table).unwrap_err().into_iter();
        problems
            .map(|problem| format!("{}: {problem}", problem.key.clone().unwrap_or_default()))
            .collect()
    }

    #[test]
    fn a_command_is_a_list_or_a_text() {
        let list = parse(json!({"command": ["npx", "-y", "a b"]})).unwrap();
        let text = parse(json!({"command": "npx -y 'a b'"})).unwrap();
        let claude =
            parse(json!({"json": r#"{"command": "npx", "args": ["-y", "a b"]}"#})).unwrap();
        assert_eq!(list.words(), ["npx", "-y", "a b"]);
        assert_eq!(list.words(), text.words());
        assert_eq!(list.words(), claude.words());
    }

    #[test]
    fn each_mistake_has_its_key() {
        assert_eq!(
            problems(json!({
                "command": [], "timeout": "soon", "effects": {"a": "delete"}, "colour": 1, "env": {"A": [1]},
            })),
            [
                "colour: unknown key `colour`; expected one of: args, asks, caches, command, container, cwd, effects, elicitation, enabled, env, except, headers, idempotent, instructions, json, login, networks, oauth, only, prompts, resources, result_bytes, select, start, start_timeout, timeout, timeouts, token, tools, trust_annotations, url",
                "timeout: `soon` is not a positive duration; expected one such as 500ms, 30s, 2m or 1h",
                "effects: `delete` is not an effect; expected read, write or destroy",
                "command: expected a program and its arguments, as in [\"npx\", \"-y\", \"server@1.0.0\"]",
            ]
        );
        assert_eq!(
            problems(json!({"command": "a", "url": "https://b"})),
            [": has both `command` and `url`; expected one of them"]
        );
        assert_eq!(
            problems(json!({"command": "a", "token": {"env": "T"}})),
            ["token: belongs to `url`"]
        );
        let oauth = |oauth: Value| problems(json!({"url": "https://a", "oauth": oauth})).concat();
        let secret = json!({"env": "S"});
        assert_eq!(
            oauth(json!({"issuer": "https://b", "client_id": "c", "client_secret": "s3cret"})),
            "oauth: `client_secret`: expected { env = \"NAME\" }, { file = \"PATH\" }, { keyring = \"SERVICE/USER\" } or { command = [..] }"
        );
        assert_eq!(
            oauth(json!({"client_id": "c", "client_secret": secret})),
            "oauth: expected one of `issuer` and `token_url`"
        );
        assert_eq!(
            oauth(json!({"token_url": "login", "client_id": "c", "client_secret": secret})),
            "oauth: `issuer` or `token_url` is not an address, such as https://login.example"
        );
        assert!(
            oauth(json!({"issuer": "https://b", "secret": 1})).contains("unknown key `secret`")
        );
        assert_eq!(
            problems(json!({"url": "https://a", "token": secret, "oauth":
                {"issuer": "https://b", "client_id": "c", "client_secret": secret}})),
            [": has both `token` and `oauth`; expected one of them"]
        );
        assert_eq!(
            problems(json!({"url": "https://a", "token": secret, "login": true})),
            [": has both `token` and `login`; expected one of them"]
        );
        assert_eq!(problems(json!({"command": "a", "login": true})), ["login: belongs to `url`"]);
        assert_eq!(problems(json!({})), [": expected one of `command`, `url` and `json`"]);
    }
}
