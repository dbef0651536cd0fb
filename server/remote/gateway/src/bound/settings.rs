//! What the operator says about providers.

use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};
#[cfg(feature = "commands")]
use toolwrit_bindings::model::Commands;
use toolwrit_bindings::model::{Api, Setting};
#[cfg(feature = "upstreams")]
use toolwrit_bindings::model::{Endpoint, Server};
use toolwrit_bindings::{
    ConnectionOptions, CursorKey, Environment, Network, SettingProblem, Settings,
};
use toolwrit_core::toolset::ProviderTables;

/// The key of the networks that may be reached although their addresses are not public.
const NETWORKS: &str = "networks";
/// The key that says whether another MCP server may ask users.
#[cfg(feature = "upstreams")]
const QUESTIONS: &str = "elicitation";
/// The key of a file with certificates.
const CA: &str = "ca";
/// Size limit of that file, in bytes.
const MAX_CA: u64 = 1024 * 1024;

/// What the operator says about providers: the tables `[providers.NAME]` of a configuration file, which variables of the
/// environment such as `TOOLWRIT_WORDPRESS_URL` complete and override.
#[derive(Clone)]
pub struct ProviderSettings {
    tables: ProviderTables,
    environment: Environment,
}

/// A setting that cannot be used, or is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("providers.{provider}.{setting}: {problem}")]
pub struct ProviderProblem {
    pub provider: String,
    /// The setting, with its account if it belongs to one: `accounts.anna.token`.
    pub setting: String,
    /// What is wrong, and how to fix it.
    pub problem: String,
}

impl Default for ProviderSettings {
    /// The environment of this process, without tables.
    fn default() -> Self {
        Self::new(ProviderTables::new(), Environment::process())
    }
}

impl ProviderSettings {
    /// Settings of these tables, by the names of the providers.
    pub fn new(tables: ProviderTables, environment: Environment) -> Self {
        Self { tables, environment }
    }

    /// Reads the settings of commands.
    #[cfg(feature = "commands")]
    pub(crate) fn of_commands(
        &self,
        commands: &Commands,
    ) -> Result<Settings, Vec<ProviderProblem>> {
        let given = self.tables.get(&*commands.name).cloned().unwrap_or_default();
        self.parse(&commands.name, &commands.settings, given)
    }

    /// Reads the settings of another MCP server, with the networks in which it may be, and whether it may ask users.
    #[cfg(feature = "upstreams")]
    pub(crate) fn of_server(
        &self,
        server: &Server,
    ) -> Result<(Settings, Vec<Network>, bool), Vec<ProviderProblem>> {
        let name = &*server.name;
        let mut given = self.tables.get(name).cloned().unwrap_or_default();
        let networks = match server.endpoint {
            Endpoint::Command { .. } => Ok(Vec::new()),
            Endpoint::Remote { .. } => self.networks(name, &mut given),
        };
        let questions = match given.shift_remove(QUESTIONS) {
            None => Ok(true),
            Some(Value::Bool(passes)) => Ok(passes),
            Some(_) => Err(ProviderProblem {
                provider: name.to_owned(),
                setting: QUESTIONS.to_owned(),
                problem: "expected `true` or `false`.".to_owned(),
            }),
        };
        match (networks, questions, self.parse(name, &server.settings, given)) {
            (Ok(networks), Ok(questions), Ok(settings)) => Ok((settings, networks, questions)),
            (networks, questions, settings) => {
                let problems = networks.err().into_iter().chain(questions.err());
                Err(problems.chain(settings.err().into_iter().flatten()).collect())
            }
        }
    }

    /// Takes the networks out of the table of a provider.
    fn networks(
        &self,
        name: &str,
        given: &mut Map<String, Value>,
    ) -> Result<Vec<Network>, ProviderProblem> {
        networks(self.setting(name, NETWORKS, given)).map_err(|problem| ProviderProblem {
            provider: name.to_owned(),
            setting: NETWORKS.to_owned(),
            problem,
        })
    }

    fn parse(
        &self,
        name: &str,
        declared: &[Setting],
        given: Map<String, Value>,
    ) -> Result<Settings, Vec<ProviderProblem>> {
        let parsed = Settings::parse(name, declared, given, self.environment.clone());
        let problem = |problem: SettingProblem| ProviderProblem {
            provider: problem.provider,
            setting: problem.setting,
            problem: problem.problem,
        };
        parsed.map_err(|problems| problems.into_iter().map(problem).collect())
    }

    /// Reads the settings of an API.
    pub(crate) fn of_api(
        &self,
        api: &Api,
        cursor_key: &CursorKey,
    ) -> Result<(Settings, ConnectionOptions), Vec<ProviderProblem>> {
        let mut given = self.tables.get(&*api.name).cloned().unwrap_or_default();
        let mut problems = Vec::new();
        let mut options =
            ConnectionOptions { cursor_key: cursor_key.clone(), ..ConnectionOptions::default() };
        match self.networks(&api.name, &mut given) {
            Ok(networks) => options.networks = networks,
            Err(problem) => problems.push(problem),
        }
        match self.setting(&api.name, CA, &mut given).map(certificates) {
            None => {}
            Some(Ok(certificates)) => options.certificates = Some(certificates),
            Some(Err(problem)) => problems.push(ProviderProblem {
                provider: api.name.to_string(),
                setting: CA.to_owned(),
                problem,
            }),
        }
        match self.parse(&api.name, &api.settings, given) {
            Ok(settings) if problems.is_empty() => return Ok((settings, options)),
            Ok(_) => {}
            Err(others) => problems.extend(others),
        }
        Err(problems)
    }

    /// Takes a setting out of the table of a provider. The environment overrides it.
    fn setting(
        &self,
        provider: &str,
        setting: &str,
        given: &mut Map<String, Value>,
    ) -> Option<Value> {
        let (_, variable) = self.environment.setting(provider, setting);
        let value = given.shift_remove(setting);
        variable.map(Value::from).or(value)
    }
}

/// Reads networks: a list, or a text with commas.
fn networks(value: Option<Value>) -> Result<Vec<Network>, String> {
    let expected = || "expected a list of networks, such as [\"127.0.0.0/8\"].".to_owned();
    let texts: Vec<String> = match value {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => text.split(',').map(|text| text.trim().to_owned()).collect(),
        Some(Value::Array(items)) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().ok_or_else(expected)?
        }
        Some(_) => return Err(expected()),
    };
    let parse = |text: &String| text.parse().map_err(|why| format!("`{text}`: {why}."));
    texts.iter().filter(|text| !text.is_empty()).map(parse).collect()
}

/// Reads a file with certificates in PEM.
fn certificates(value: Value) -> Result<Vec<u8>, String> {
    let Value::String(path) = value else {
        return Err("expected the path of a file with certificates in PEM.".to_owned());
    };
    let path = PathBuf::from(path);
    let unreadable =
        |why: &dyn std::fmt::Display| format!("cannot read {}: {why}.", path.display());
    let size = fs::metadata(&path).map_err(|why| unreadable(&why))?.len();
    if size > MAX_CA {
        return Err(unreadable(&format_args!("it has more than {MAX_CA} bytes")));
    }
    fs::read(&path).map_err(|why| unreadable(&why))
}
