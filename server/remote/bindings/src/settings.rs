//! What the operator says about a provider: settings, and where secrets are.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde_json::{Map, Value};
use toolwrit_text::nearest;

use crate::failure::{Failure, Result};
use crate::model::{Setting, SettingType};
use crate::render::scalar_text;
use crate::secret::{Environment, SecretReader, SecretSource};

/// The settings of one provider. Templates can only reach those that are not sensitive.
pub struct Settings {
    provider: String,
    secrets: SecretReader,
    /// For callers without an account.
    shared: Values,
    /// For each account that is configured.
    by_account: BTreeMap<String, Values>,
    /// For other accounts: what is the same for all.
    common: Values,
}

/// The settings of one caller.
#[derive(Clone, Default)]
struct Values {
    plain: Map<String, Value>,
    secrets: BTreeMap<String, SecretSource>,
}

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("providers.{provider}.{setting}: {problem}")]
pub struct SettingProblem {
    pub provider: String,
    /// The setting, with its account if it belongs to one: `accounts.anna.token`.
    pub setting: String,
    /// What is wrong, and how to fix it.
    pub problem: String,
}

impl Settings {
    /// Reads the settings that a provider declares: the table `[providers.NAME]` of a configuration file, which variables
    /// such as `TOOLWRIT_WORDPRESS_URL` complete and override.
    ///
    /// Sensitive settings are `{ env: NAME }`, `{ file: PATH }`, `{ keyring: "SERVICE/USER" }` or
    /// `{ command: [PROGRAM, ..] }`. A relative path is relative to the folder of this process; whoever reads a
    /// configuration file makes its paths absolute. Settings of one account are in `accounts.ACCOUNT`; the variables and
    /// the values outside of `accounts` are for callers without an account.
    ///
    /// # Errors
    /// All settings that are missing, unknown, or not of their type.
    pub fn parse(
        provider: &str,
        declared: &[Setting],
        mut given: Map<String, Value>,
        environment: Environment,
    ) -> std::result::Result<Self, Vec<SettingProblem>> {
        let mut reader = Reader { provider, declared, problems: Vec::new() };
        let accounts = given.shift_remove("accounts");
        let mut shared = Values::default();
        for setting in declared {
            let name = setting.name.as_ref();
            let (variable, in_environment) = environment.setting(provider, name);
            let value = given.shift_remove(name);
            if setting.sensitive {
                let source = value.and_then(|value| reader.source(name, &value));
                let source = source.filter(|_| in_environment.is_none());
                let default = || SecretSource::Environment(variable);
                shared.secrets.insert(name.to_owned(), source.unwrap_or_else(default));
                continue;
            }
            match in_environment.map(Value::String).or(value) {
                Some(value) => shared.plain.extend(reader.value(name, setting, value)),
                // Each account may have its own.
                None if setting.optional || setting.per_account => {}
                None => reader.problem(name, format!("it is missing. Set it, or {variable}.")),
            }
        }
        for name in given.keys() {
            reader.unknown(name);
        }
        let mut common = shared.clone();
        for setting in declared.iter().filter(|setting| setting.per_account) {
            common.plain.shift_remove(&*setting.name);
            common.secrets.remove(&*setting.name);
        }
        let by_account = reader.accounts(accounts, &common);
        if reader.problems.is_empty() {
            let secrets = SecretReader::new(environment);
            Ok(Self { provider: provider.to_owned(), secrets, shared, by_account, common })
        } else {
            Err(reader.problems)
        }
    }

    /// Settings that are the same for all accounts, and were read elsewhere.
    #[cfg(feature = "upstreams")]
    pub(crate) fn of_values(
        provider: &str,
        plain: Map<String, Value>,
        secrets: BTreeMap<String, SecretSource>,
        environment: Environment,
    ) -> Self {
        let shared = Values { plain, secrets };
        let (secrets, common) = (SecretReader::new(environment), shared.clone());
        Self { provider: provider.to_owned(), secrets, shared, by_account: BTreeMap::new(), common }
    }

    fn values_of(&self, account: Option<&str>) -> &Values {
        match account {
            Some(account) => self.by_account.get(account).unwrap_or(&self.common),
            None => &self.shared,
        }
    }

    /// The settings of an account that are not sensitive.
    pub(crate) fn plain(&self, account: Option<&str>) -> &Map<String, Value> {
        &self.values_of(account).plain
    }

    /// Identifies what a provider changes for an account: the endpoint that its table says, and the settings that are not
    /// sensitive.
    pub(crate) fn location(&self, endpoint: &str, account: Option<&str>) -> String {
        let settings = Value::Object(self.plain(account).clone());
        format!("{endpoint} {settings}")
    }

    /// Reads a text that authentication needs: a secret, or a setting that is not sensitive.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if there is none for this account. Another account's is never used.
    pub(crate) async fn credential(
        &self,
        setting: &Setting,
        account: Option<&str>,
    ) -> Result<SecretString> {
        let (name, values) = (setting.name.as_ref(), self.values_of(account));
        let why =
            if account.is_some() { "this account has none of its own" } else { "it is not set" };
        if !setting.sensitive {
            let value = values.plain.get(name).and_then(scalar_text);
            return value.map(Into::into).ok_or_else(|| self.missing(name, why));
        }
        let source = values.secrets.get(name).ok_or_else(|| self.missing(name, why))?;
        self.secrets.read(source).await.map_err(|why| self.missing(name, &why))
    }

    /// Reads a setting as text, also a secret; `None` if it is optional and not set.
    ///
    /// # Errors
    /// See [`Self::credential`].
    #[cfg(any(feature = "commands", feature = "upstreams"))]
    pub(crate) async fn text(
        &self,
        setting: &Setting,
        account: Option<&str>,
    ) -> Result<Option<SecretString>> {
        let (name, values) = (setting.name.as_ref(), self.values_of(account));
        if let Some(value) = values.plain.get(name) {
            return Ok(scalar_text(value).map(Into::into));
        }
        let source = values.secrets.get(name);
        if setting.optional && source.is_none_or(|source| self.secrets.is_unset(source)) {
            return Ok(None);
        }
        self.credential(setting, account).await.map(Some)
    }

    /// Forgets a kept secret that an API refused.
    pub(crate) async fn forget(
        &self,
        setting: &Setting,
        account: Option<&str>,
        refused: impl Fn(&SecretString) -> bool,
    ) {
        if let Some(source) = self.values_of(account).secrets.get(&*setting.name) {
            self.secrets.forget(source, refused).await;
        }
    }

    fn missing(&self, setting: &str, why: &str) -> Box<Failure> {
        let provider = &self.provider;
        Failure::unavailable(format!("The setting `{setting}` of {provider} is missing: {why}."))
            .hinting(format!("The operator of this server sets `providers.{provider}.{setting}`."))
    }
}

/// Reads settings, and collects what is wrong with them.
struct Reader<'a> {
    provider: &'a str,
    declared: &'a [Setting],
    problems: Vec<SettingProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, setting: &str, problem: impl Into<String>) {
        let (provider, setting) = (self.provider.to_owned(), setting.to_owned());
        self.problems.push(SettingProblem { provider, setting, problem: problem.into() });
    }

    fn unknown(&mut self, setting: &str) {
        let name = setting.rsplit('.').next().unwrap_or(setting);
        let known = self.declared.iter().map(|setting| setting.name.as_ref());
        let known: Vec<&str> = known.collect();
        let problem = match nearest::nearest(name, known.iter().copied()) {
            Some(meant) => format!("there is no such setting. Did you mean `{meant}`?"),
            None if known.is_empty() => "there is no such setting. It has none.".to_owned(),
            None => format!("there is no such setting. The settings are {}.", known.join(", ")),
        };
        self.problem(setting, problem);
    }

    /// Reads a setting that is not sensitive. Numbers and truth values may be texts, because variables are.
    fn value(&mut self, key: &str, setting: &Setting, value: Value) -> Option<(String, Value)> {
        let value = match (setting.ty, value) {
            (SettingType::Text, value @ Value::String(_)) => Some(value),
            (SettingType::Integer, Value::String(text)) => {
                text.parse::<i64>().ok().map(Value::from)
            }
            (SettingType::Integer, value) => Some(value).filter(Value::is_i64),
            (SettingType::Boolean, Value::String(text)) => {
                text.parse::<bool>().ok().map(Value::from)
            }
            (SettingType::Boolean, value) => Some(value).filter(Value::is_boolean),
            (SettingType::Text, _) => None,
        };
        let Some(value) = value else {
            let expected = match setting.ty {
                SettingType::Text => "a text",
                SettingType::Integer => "a whole number",
                SettingType::Boolean => "true or false",
            };
            self.problem(key, format!("expected {expected}."));
            return None;
        };
        Some((setting.name.to_string(), value))
    }

    fn source(&mut self, setting: &str, value: &Value) -> Option<SecretSource> {
        let source = SecretSource::parse(value);
        if source.is_none() {
            // The value may be the secret, so it is not repeated.
            self.problem(
                setting,
                "expected where the secret is: { env = NAME }, { file = PATH }, { keyring = \"SERVICE/USER\" } or { command = [PROGRAM, ..] }.",
            );
        }
        source
    }

    /// Reads the settings of the accounts, which continue those that are the same for all.
    fn accounts(&mut self, given: Option<Value>, common: &Values) -> BTreeMap<String, Values> {
        let accounts = match given {
            None => return BTreeMap::new(),
            Some(Value::Object(accounts)) => accounts,
            Some(_) => {
                self.problem("accounts", "expected a table with a table for each account.");
                return BTreeMap::new();
            }
        };
        let mut by_account = BTreeMap::new();
        for (account, given) in accounts {
            let mut values = common.clone();
            self.account(&account, given, &mut values);
            by_account.insert(account, values);
        }
        by_account
    }

    fn account(&mut self, account: &str, given: Value, values: &mut Values) {
        let Value::Object(given) = given else {
            return self.problem(&format!("accounts.{account}"), "expected a table.");
        };
        let declared = self.declared;
        for (name, value) in given {
            let key = format!("accounts.{account}.{name}");
            match declared.iter().find(|setting| setting.name == name) {
                Some(setting) if !setting.per_account => {
                    self.problem(&key, "accounts do not have their own.");
                }
                Some(setting) if setting.sensitive => {
                    values.secrets.extend(self.source(&key, &value).map(|source| (name, source)));
                }
                Some(setting) => values.plain.extend(self.value(&key, setting, value)),
                None => self.unknown(&key),
            }
        }
    }
}
