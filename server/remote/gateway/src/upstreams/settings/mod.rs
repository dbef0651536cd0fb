//! What the operator says about an upstream: the table `[upstreams.NAME]` of a configuration file.

mod oauth;
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolwrit_bindings::{ClientGrant, ClientTokens, ConnectionOptions, Environment, SecretSource};
use toolwrit_core::authority::Effect;
use toolwrit_upstreams::import::{Imported, Target};
use toolwrit_upstreams::model::{Definition, Endpoint, Start};
use toolwrit_upstreams::{Location, Network, Secrets, ToolList};

use crate::upstreams::nesting;
use crate::upstreams::tokens::IssuedTokens;
use reader::Reader;

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
    pub(crate) timeouts: BTreeMap<String, Duration>,
    pub(crate) effects: BTreeMap<String, Effect>,
    /// How users may ask for tools.
    pub(crate) asks: BTreeMap<String, Vec<String>>,
    pub(crate) trusts_annotations: bool,
    pub(crate) passes: Passes,
    pub(crate) idempotent: BTreeSet<String>,
    pub(crate) caches: BTreeMap<String, Duration>,
    pub(crate) select: BTreeSet<String>,
    pub(crate) result_bytes: Option<u64>,
    start: Start,
    start_timeout: Option<Duration>,
    networks: Vec<Network>,
    /// How its access tokens are issued.
    grant: Option<ClientGrant>,
    imported: Imported,
    secrets: Vec<(SecretTarget, SecretSource)>,
}

/// What passes through, besides calls of tools.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Passes {
    /// Questions to the users of callers.
    questions: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
}

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

    /// The names that keys have for tools, and that no tool has: `effects.git_lgo`.
    pub fn unknown_tools(&self, tools: &ToolList) -> Vec<String> {
        fn with_key<'a>(
            key: &'static str,
            names: impl Iterator<Item = &'a String>,
        ) -> impl Iterator<Item = (&'static str, &'a String)> {
            names.map(move |name| (key, name))
        }
        let tables = with_key("effects", self.effects.keys())
            .chain(with_key("asks", self.asks.keys()))
            .chain(with_key("timeouts", self.timeouts.keys()))
            .chain(with_key("caches", self.caches.keys()));
        let all = tables
            .chain(with_key("idempotent", self.idempotent.iter()))
            .chain(with_key("select", self.select.iter()));
        let unknown = all.filter(|(_, name)| tools.get(name).is_none());
        unknown.map(|(key, name)| format!("{key}.{name}")).collect()
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

    /// Reads its secrets and the variables in its texts, and returns how it is supervised by the gateway of a
    /// configuration file.
    ///
    /// # Errors
    /// A sentence about the first one that is missing, or about a gateway that must not start upstreams.
    pub(crate) async fn definition(
        &self,
        configuration: &Path,
        start: Option<Start>,
    ) -> Result<Definition, String> {
        let environment = Environment::process();
        let endpoint = self.imported.endpoint(|name| environment.get(name));
        let mut endpoint =
            endpoint.map_err(|unset| format!("Its configuration fails: {unset}."))?;
        let secrets = Secrets::default();
        for (target, source) in &self.secrets {
            let secret = source.read(&environment).await;
            let secret = secret.map_err(|why| format!("A secret cannot be read: {why}."))?;
            match target {
                SecretTarget::Header(_) => secrets.add_header(&secret),
                SecretTarget::Variable(_) | SecretTarget::Token => secrets.add(&secret),
            }
            match (&mut endpoint, target) {
                (Endpoint::Command(command), SecretTarget::Variable(name)) => {
                    command.environment.insert(name.clone(), secret);
                }
                (Endpoint::Remote(remote), SecretTarget::Header(name)) => {
                    remote.headers.insert(name.clone(), secret);
                }
                (Endpoint::Remote(remote), SecretTarget::Token) => {
                    remote.headers.insert("Authorization".to_owned(), reader::bearer(&secret));
                }
                // The reader has refused the others.
                _ => {}
            }
        }
        let endpoint = match endpoint {
            Endpoint::Command(command) => {
                Endpoint::Command(nesting::within(configuration, command)?)
            }
            Endpoint::Remote(mut remote) => {
                remote.networks.clone_from(&self.networks);
                if let Some(grant) = &self.grant {
                    let tokens = self.tokens(grant.clone(), &remote.url, environment);
                    remote.tokens = Some(Arc::new(IssuedTokens(tokens)));
                }
                Endpoint::Remote(remote)
            }
        };
        let mut definition = Definition::new(&self.name, endpoint);
        definition.secrets.add_all(&secrets);
        definition.start = start.unwrap_or(self.start);
        definition.asks_users = self.passes.questions;
        definition.resources = self.passes.resources;
        definition.prompts = self.passes.prompts;
        if let Some(time) = self.start_timeout {
            definition.timing.start = time;
        }
        Ok(definition)
    }

    /// The tokens for the server at an address. Authorization servers know it as the resource, or by their own name, the
    /// audience.
    fn tokens(&self, mut grant: ClientGrant, url: &str, environment: Environment) -> ClientTokens {
        if grant.audience.is_none() {
            grant.resource = Some(url.to_owned());
        }
        let networks = self.networks.clone();
        let options = ConnectionOptions { networks, ..ConnectionOptions::default() };
        ClientTokens::new(&self.name, grant, environment, options)
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
                "colour: unknown key `colour`; expected one of: args, asks, caches, command, cwd, effects, elicitation, enabled, env, headers, idempotent, json, networks, oauth, prompts, resources, result_bytes, select, start, start_timeout, timeout, timeouts, token, trust_annotations, url",
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
        assert_eq!(problems(json!({})), [": expected one of `command`, `url` and `json`"]);
    }
}
