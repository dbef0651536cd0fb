//! Reads the table of an upstream. The part that says where it is has the form that other programs use, too.

use std::collections::BTreeMap;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use toolwrit_bindings::{ClientGrant, SecretSource};
use toolwrit_text::nearest;
use toolwrit_upstreams::Network;
use toolwrit_upstreams::import::{self, Format, Imported, Target, Variables};
use toolwrit_upstreams::model::Start;

use super::container::Container;
use super::keys::KEYS;
use super::tools::{self, ToolSettings};
use super::values::{asks, duration, effect, texts};
use super::{Passes, SecretTarget, SettingProblem, UpstreamSettings, oauth};
use crate::login::LoginSettings;

/// Smallest and largest size of a result, in bytes.
const RESULT_BYTES: std::ops::RangeInclusive<u64> = 1024..=8 * 1024 * 1024;

pub(super) struct Reader<'a> {
    table: &'a Map<String, Value>,
    problems: Vec<SettingProblem>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a Map<String, Value>) -> Self {
        Self { table, problems: Vec::new() }
    }

    pub(super) fn settings(mut self, name: &str) -> Result<UpstreamSettings, Vec<SettingProblem>> {
        for key in self.table.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let what = match nearest::closest(key, KEYS).first() {
                Some(close) => format!("unknown key `{key}`; did you mean `{close}`?"),
                None => format!("unknown key `{key}`; expected one of: {}", KEYS.join(", ")),
            };
            self.problem(Some(key), what);
        }
        let timeout = self.duration("timeout");
        let tools = self.tools();
        let only = self.table.contains_key("only").then(|| self.names("only"));
        let except = self.names("except");
        let trusts_annotations = self.flag("trust_annotations", false);
        let passes = Passes {
            questions: self.flag("elicitation", true),
            resources: self.flag("resources", true),
            prompts: self.flag("prompts", true),
            instructions: self.flag("instructions", false),
        };
        let is_enabled = self.flag("enabled", true);
        let start_timeout = self.duration("start_timeout");
        let (result_bytes, start) = (self.result_bytes(), self.start());
        let (networks, grant) = (self.networks(), self.grant());
        let container = self.container();
        let login = self.login();
        let mut secrets = Vec::new();
        let imported = self
            .entry(name, container.as_ref(), &mut secrets)
            .and_then(|entry| self.import(name, &entry));
        if let Some(imported) = &imported {
            self.check_target(imported);
        }
        match imported {
            Some(imported) if self.problems.is_empty() => Ok(UpstreamSettings {
                name: name.to_owned(),
                is_enabled: is_enabled && !imported.disabled,
                timeout: timeout.or(imported.call_timeout),
                tools,
                only: only.or_else(|| imported.only.clone()),
                except: [except, imported.except.clone()].concat(),
                trusts_annotations,
                passes,
                result_bytes,
                start,
                start_timeout: start_timeout.or(imported.start_timeout),
                networks,
                grant,
                login,
                imported,
                container,
                secrets,
            }),
            _ => Err(self.problems),
        }
    }

    /// What is said about single tools: each in a table of its own, or in tables by what is said.
    fn tools(&mut self) -> BTreeMap<String, ToolSettings> {
        let mut tools = match self.table.get("tools") {
            None => BTreeMap::new(),
            Some(Value::Object(tables)) => tools::read(tables).unwrap_or_else(|problems| {
                for what in problems {
                    self.problem(Some("tools"), what);
                }
                BTreeMap::new()
            }),
            Some(_) => {
                self.problem(Some("tools"), "expected a table by the names of tools");
                BTreeMap::new()
            }
        };
        let own: Vec<String> = tools.keys().cloned().collect();
        let mut say = |this: &mut Self,
                       key,
                       tool: String,
                       set: &mut dyn FnMut(&mut ToolSettings)| {
            if own.contains(&tool) {
                this.problem(Some(key), format!("`{tool}` has a table in `tools`; write it there"));
            }
            let settings = tools.entry(tool).or_default();
            settings.key = Some(key);
            set(settings);
        };
        for (tool, effect) in self.entries("effects", effect) {
            say(self, "effects", tool, &mut |settings| settings.effect = Some(effect));
        }
        for (tool, asks) in self.entries("asks", asks) {
            say(self, "asks", tool, &mut |settings| settings.asks = Some(asks.clone()));
        }
        for (tool, time) in self.entries("timeouts", duration) {
            say(self, "timeouts", tool, &mut |settings| settings.timeout = Some(time));
        }
        for (tool, time) in self.entries("caches", duration) {
            say(self, "caches", tool, &mut |settings| settings.cache = Some(time));
        }
        for tool in self.names("idempotent") {
            say(self, "idempotent", tool, &mut |settings| settings.idempotent = true);
        }
        for tool in self.names("select") {
            say(self, "select", tool, &mut |settings| settings.select = true);
        }
        tools
    }

    fn problem(&mut self, key: Option<&str>, problem: impl Into<String>) {
        let key = key.map(str::to_owned);
        self.problems.push(SettingProblem { key, problem: problem.into() });
    }

    /// The part that says where it is, as an entry of `mcpServers`. Secrets are taken out of it.
    fn entry(
        &mut self,
        name: &str,
        container: Option<&Container>,
        secrets: &mut Vec<(SecretTarget, SecretSource)>,
    ) -> Option<Map<String, Value>> {
        let mut entry = match self.table.get("json") {
            Some(json) => self.json(name, json)?,
            None => Map::new(),
        };
        let words = match self.table.get("command") {
            Some(command) => Some(self.words(command)?),
            None => None,
        };
        let words = match container {
            Some(container) => Some(container.words(words.unwrap_or_default())),
            None => words,
        };
        match words {
            None => {}
            Some(words) => {
                let mut words = words.into_iter();
                entry.extend(words.next().map(|program| ("command".to_owned(), program.into())));
                let more = self.table.get("args").and_then(Value::as_array).into_iter().flatten();
                let arguments: Vec<Value> = words.map(Value::from).chain(more.cloned()).collect();
                entry.insert("args".to_owned(), arguments.into());
            }
        }
        for key in ["url", "cwd"] {
            entry.extend(self.table.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        let tables =
            [("env", SecretTarget::Variable as fn(String) -> _), ("headers", SecretTarget::Header)];
        for (key, target) in tables {
            if let Some(Value::Object(values)) = self.table.get(key) {
                let mut plain =
                    entry.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
                for (name, value) in values {
                    match SecretSource::parse(value) {
                        Some(source) => secrets.push((target(name.clone()), source)),
                        None => drop(plain.insert(name.clone(), value.clone())),
                    }
                }
                entry.insert(key.to_owned(), plain.into());
            } else if let Some(other) = self.table.get(key) {
                entry.insert(key.to_owned(), other.clone());
            }
        }
        match self.table.get("token").map(|token| (SecretSource::parse(token), token)) {
            Some((Some(source), _)) => secrets.push((SecretTarget::Token, source)),
            Some((None, _)) => self.problem(
                Some("token"),
                "expected { env = \"NAME\" }, { file = \"PATH\" }, { keyring = \"SERVICE/USER\" } or { command = [..] }",
            ),
            None => {}
        }
        if !["command", "cmd", "url", "serverUrl", "httpUrl", "uri"]
            .iter()
            .any(|key| entry.contains_key(*key))
        {
            let what = if self.table.contains_key("json") {
                "expected `command` or `url` in `json`"
            } else {
                "expected one of `command`, `url` and `json`"
            };
            self.problem(None, what);
            return None;
        }
        Some(entry)
    }

    /// An entry as Claude Desktop has it, or its whole file if that has one entry or one of this name; as a table or as JSON.
    fn json(&mut self, name: &str, json: &Value) -> Option<Map<String, Value>> {
        let parsed = match json {
            Value::Object(entry) => Some(entry.clone()),
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        };
        let Some(parsed) = parsed else {
            let what =
                "expected an entry of `mcpServers`, such as '{\"command\": \"npx\", \"args\": []}'";
            self.problem(Some("json"), what);
            return None;
        };
        let Some(servers) = parsed.get("mcpServers").or(parsed.get("servers")) else {
            return Some(parsed);
        };
        let servers = servers.as_object();
        let chosen = servers.and_then(|servers| match servers.get(name) {
            None if servers.len() == 1 => servers.values().next(),
            named => named,
        });
        let entry = chosen.and_then(Value::as_object).cloned();
        if entry.is_none() {
            let many = servers.map_or(0, Map::len);
            self.problem(
                Some("json"),
                format!("has {many} servers, and none is `{name}`; expected one (`import claude FILE` adds all)"),
            );
        }
        entry
    }

    /// The program and its arguments. A text is split as shells do, without anything else that shells do.
    fn words(&mut self, command: &Value) -> Option<Vec<String>> {
        let words = match command {
            Value::Array(words) => {
                words.iter().map(|word| word.as_str().map(str::to_owned)).collect()
            }
            Value::String(text) => shlex::split(text),
            _ => None,
        };
        let words: Option<Vec<String>> = words.filter(|words: &Vec<String>| !words.is_empty());
        if words.is_none() {
            let what =
                "expected a program and its arguments, as in [\"npx\", \"-y\", \"server@1.0.0\"]";
            self.problem(Some("command"), what);
        }
        words
    }

    fn import(&mut self, name: &str, entry: &Map<String, Value>) -> Option<Imported> {
        let text = json!({ "mcpServers": { name: entry } }).to_string();
        let entries =
            import::parse(&text, Format::Json, Variables::Braced).map_err(|problem| vec![problem]);
        match entries.and_then(|mut entries| entries.pop().transpose()) {
            Ok(imported) => imported,
            Err(problems) => {
                for problem in problems {
                    // `/mcpServers/NAME/KEY/..`
                    let key = problem.pointer.split('/').nth(3);
                    self.problem(key, problem.message);
                }
                None
            }
        }
    }

    /// Refuses keys that belong to the other kind of upstreams.
    fn check_target(&mut self, imported: &Imported) {
        let (others, owner): (&[&str], _) = match imported.target {
            Target::Command { .. } => (&["headers", "login", "networks", "oauth", "token"], "url"),
            Target::Remote { .. } => (&["args", "container", "cwd", "env"], "command"),
        };
        for key in others.iter().filter(|key| self.table.contains_key(**key)) {
            self.problem(Some(key), format!("belongs to `{owner}`"));
        }
    }

    fn flag(&mut self, key: &str, otherwise: bool) -> bool {
        match self.table.get(key) {
            None => otherwise,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.problem(Some(key), "expected true or false");
                otherwise
            }
        }
    }

    fn duration(&mut self, key: &str) -> Option<Duration> {
        duration(self.table.get(key)?).map_err(|what| self.problem(Some(key), what)).ok()
    }

    /// A table of settings of tools.
    fn entries<T>(
        &mut self,
        key: &str,
        parse: fn(&Value) -> Result<T, String>,
    ) -> BTreeMap<String, T> {
        let mut entries = BTreeMap::new();
        match self.table.get(key) {
            None => {}
            Some(Value::Object(table)) => {
                for (tool, value) in table {
                    match parse(value) {
                        Ok(value) => drop(entries.insert(tool.clone(), value)),
                        Err(what) => self.problem(Some(key), what),
                    }
                }
            }
            Some(_) => self.problem(Some(key), "expected a table by the names of tools"),
        }
        entries
    }

    /// A list of names of tools.
    fn names(&mut self, key: &str) -> Vec<String> {
        let names = match self.table.get(key) {
            None => Some(Vec::new()),
            Some(Value::Array(names)) => {
                names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
            }
            Some(_) => None,
        };
        names.unwrap_or_else(|| {
            self.problem(Some(key), "expected a list of the names of tools");
            Vec::new()
        })
    }

    fn result_bytes(&mut self) -> Option<u64> {
        let value = self.table.get("result_bytes")?;
        let bytes = value.as_u64().filter(|bytes| RESULT_BYTES.contains(bytes));
        if bytes.is_none() {
            let (least, most) = (RESULT_BYTES.start(), RESULT_BYTES.end());
            self.problem(
                Some("result_bytes"),
                format!("expected a number of bytes, {least} to {most}"),
            );
        }
        bytes
    }

    fn start(&mut self) -> Start {
        match self.table.get("start").map(Value::as_str) {
            None | Some(Some("at_once")) => Start::AtOnce,
            Some(Some("on_call")) => Start::OnCall,
            Some(_) => {
                self.problem(Some("start"), "expected at_once or on_call");
                Start::AtOnce
            }
        }
    }

    fn container(&mut self) -> Option<Container> {
        let read = Container::parse(self.table.get("container")?);
        read.map_err(|what| self.problem(Some("container"), what)).ok()
    }

    fn grant(&mut self) -> Option<ClientGrant> {
        let ways = ["token", "oauth", "login"];
        let mut ways = ways.iter().filter(|key| self.table.contains_key(**key));
        if let (Some(one), Some(other)) = (ways.next(), ways.next()) {
            self.problem(None, format!("has both `{one}` and `{other}`; expected one of them"));
        }
        let read = oauth::grant(self.table.get("oauth")?);
        read.map_err(|what| self.problem(Some("oauth"), what)).ok()
    }

    fn login(&mut self) -> Option<LoginSettings> {
        let read = LoginSettings::parse(self.table.get("login")?);
        read.unwrap_or_else(|what| {
            self.problem(Some("login"), what);
            None
        })
    }

    fn networks(&mut self) -> Vec<Network> {
        let mut networks = Vec::new();
        for text in self.table.get("networks").map(texts).unwrap_or_default() {
            match text.parse() {
                Ok(network) => networks.push(network),
                Err(why) => self.problem(Some("networks"), format!("`{text}`: {why}")),
            }
        }
        networks
    }
}

/// The value of a header with a bearer token.
pub(super) fn bearer(token: &SecretString) -> SecretString {
    format!("Bearer {}", token.expose_secret()).into()
}
