//! Where secrets are, and reading them.

mod command;
mod keyring;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use secrecy::SecretString;
use serde_json::Value;

use crate::slots::Slots;

/// Size limit of a file with a secret, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// Where a secret is. Configuration never contains the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SecretSource {
    /// In a variable of the environment.
    Environment(String),
    /// In a file, without the line break at its end.
    File(PathBuf),
    /// In the output of a command, without the line break at its end. The command has no shell.
    Command(Vec<String>),
    /// In the keyring of the system. Needs the feature `keyring`.
    Keyring { service: String, user: String },
}

/// The first word of the variables of Toolwrit's own server.
const TOOLWRIT: &str = "TOOLWRIT";

/// The environment in which settings and secrets are looked up.
#[derive(Clone)]
pub struct Environment {
    variables: Variables,
    /// The first word of the server's own variables.
    server: String,
}

#[derive(Clone)]
enum Variables {
    Process,
    Fixed(Arc<BTreeMap<String, String>>),
}

impl Environment {
    /// The environment of this process.
    pub fn process() -> Self {
        Self { variables: Variables::Process, server: TOOLWRIT.to_owned() }
    }

    /// An environment with these variables only.
    pub fn from_variables(variables: BTreeMap<String, String>) -> Self {
        Self { variables: Variables::Fixed(Arc::new(variables)), server: TOOLWRIT.to_owned() }
    }

    /// The same for a server whose own variables begin with this word.
    #[must_use]
    pub fn of_server(self, word: &str) -> Self {
        Self { server: word.to_owned(), ..self }
    }

    /// The variable that sets a setting of a provider, such as `WPNAV_WORDPRESS_URL`, and its value. If only Toolwrit's own
    /// variable is set, `TOOLWRIT_WORDPRESS_URL`, it counts.
    pub fn setting(&self, provider: &str, setting: &str) -> (String, Option<String>) {
        let variable = |server: &str| {
            format!("{server}_{provider}_{setting}").replace(['-', '.'], "_").to_ascii_uppercase()
        };
        let (own, common) = (variable(&self.server), variable(TOOLWRIT));
        match (self.get(&own), self.get(&common)) {
            (None, Some(value)) => (common, Some(value)),
            (value, _) => (own, value),
        }
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<String> {
        match &self.variables {
            Variables::Process => std::env::var(name).ok(),
            Variables::Fixed(variables) => variables.get(name).cloned(),
        }
    }
}

impl SecretSource {
    /// Parses `{ env: NAME }`, `{ file: PATH }`, `{ keyring: "SERVICE/USER" }` or `{ command: [PROGRAM, ..] }`; `None`
    /// for anything else.
    pub fn parse(value: &Value) -> Option<Self> {
        let object = value.as_object().filter(|object| object.len() == 1)?;
        let (kind, source) = object.iter().next()?;
        let text = |source: &Value| {
            let text = source.as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        match kind.as_str() {
            "env" => Some(Self::Environment(text(source)?)),
            "file" => Some(Self::File(text(source)?.into())),
            "command" => {
                let command: Vec<String> =
                    source.as_array()?.iter().map(text).collect::<Option<_>>()?;
                (!command.is_empty()).then_some(Self::Command(command))
            }
            "keyring" => {
                // A service may be a URL. A user has no `/`.
                let (service, user) = source.as_str()?.rsplit_once('/')?;
                let is_whole = !service.is_empty() && !user.is_empty();
                is_whole.then(|| Self::Keyring { service: service.into(), user: user.into() })
            }
            _ => None,
        }
    }

    /// Reads the secret. Blocks the thread for as long as a small file needs.
    ///
    /// # Errors
    /// A sentence about why there is none. It does not contain the secret.
    pub async fn read(&self, environment: &Environment) -> Result<SecretString, String> {
        let secret = match self {
            Self::Environment(name) => environment
                .get(name)
                .ok_or_else(|| format!("the environment variable {name} is not set"))?,
            Self::File(path) => read_file(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
            Self::Command(command) => command::output(command).await?,
            Self::Keyring { service, user } => keyring::password(service.clone(), user.clone())
                .await
                .map_err(|why| format!("{self} cannot be read: {why}"))?,
        };
        checked(secret, self)
    }

    /// Whether a secret is read once and then kept, because reading it takes long.
    fn is_kept(&self) -> bool {
        matches!(self, Self::Command(_) | Self::Keyring { .. })
    }
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Command(command) => {
                write!(f, "the output of `{}`", command.first().map_or("", String::as_str))
            }
            Self::Keyring { service, user } => {
                write!(f, "the entry {service}/{user} of the keyring")
            }
        }
    }
}

/// Reads secrets, and keeps those that take long to read.
pub(crate) struct SecretReader {
    environment: Environment,
    kept: Slots<SecretSource, SecretString>,
}

impl SecretReader {
    pub(crate) fn new(environment: Environment) -> Self {
        Self { environment, kept: Slots::default() }
    }

    /// Whether a secret is in a variable that is not set.
    #[cfg(any(feature = "commands", feature = "upstreams"))]
    pub(crate) fn is_unset(&self, source: &SecretSource) -> bool {
        match source {
            SecretSource::Environment(name) => self.environment.get(name).is_none(),
            _ => false,
        }
    }

    /// Reads a secret. Blocks the thread for as long as a small file needs.
    ///
    /// # Errors
    /// A sentence about why there is none. It does not contain the secret.
    pub(crate) async fn read(&self, source: &SecretSource) -> Result<SecretString, String> {
        if !source.is_kept() {
            return source.read(&self.environment).await;
        }
        let slot = self.kept.slot(source.clone());
        let mut kept = slot.lock().await;
        if let Some(secret) = &*kept {
            return Ok(secret.clone());
        }
        let secret = source.read(&self.environment).await?;
        *kept = Some(secret.clone());
        Ok(secret)
    }

    /// Forgets a kept secret, unless another one has replaced it already. Other secrets are read each time.
    pub(crate) async fn forget(
        &self,
        source: &SecretSource,
        refused: impl Fn(&SecretString) -> bool,
    ) {
        if source.is_kept() {
            let slot = self.kept.slot(source.clone());
            let mut kept = slot.lock().await;
            if kept.as_ref().is_some_and(refused) {
                *kept = None;
            }
        }
    }
}

/// Removes the line break at the end.
fn checked(mut secret: String, source: &SecretSource) -> Result<SecretString, String> {
    if !matches!(source, SecretSource::Environment(_)) {
        secret.truncate(secret.trim_end_matches(['\r', '\n']).len());
    }
    if secret.is_empty() { Err(format!("{source} is empty")) } else { Ok(secret.into()) }
}

fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_FILE).read_to_string(&mut text)?;
    Ok(text)
}
