//! Where secrets are, and reading them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::SecretString;
use serde_json::{Map, Value};

/// Size limit of a file with a secret, in bytes.
const MAX_FILE: u64 = 64 * 1024;

/// Where a secret is. Configuration never contains the secret itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// In a variable of the environment.
    Environment(String),
    /// In a file, without the line break at its end.
    File(PathBuf),
}

/// The environment in which settings and secrets are looked up.
#[derive(Clone)]
pub struct Environment(Variables);

#[derive(Clone)]
enum Variables {
    Process,
    Fixed(Arc<BTreeMap<String, String>>),
}

impl Environment {
    /// The environment of this process.
    pub fn process() -> Self {
        Self(Variables::Process)
    }

    /// An environment with these variables only.
    pub fn of(variables: BTreeMap<String, String>) -> Self {
        Self(Variables::Fixed(Arc::new(variables)))
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        match &self.0 {
            Variables::Process => std::env::var(name).ok(),
            Variables::Fixed(variables) => variables.get(name).cloned(),
        }
    }
}

impl SecretSource {
    /// Parses `{ env: NAME }` or `{ file: PATH }`; `None` for anything else.
    pub(crate) fn parse(value: &Value) -> Option<Self> {
        let object: &Map<String, Value> = value.as_object().filter(|object| object.len() == 1)?;
        let (kind, place) = object.iter().next()?;
        let place = place.as_str().filter(|place| !place.is_empty())?;
        match kind.as_str() {
            "env" => Some(Self::Environment(place.to_owned())),
            "file" => Some(Self::File(place.into())),
            _ => None,
        }
    }

    /// Reads the secret. Blocks the thread for as long as a small file needs.
    ///
    /// # Errors
    /// A sentence about why there is none. It does not contain the secret.
    pub(crate) fn read(&self, environment: &Environment) -> Result<SecretString, String> {
        let secret = match self {
            Self::Environment(name) => environment
                .get(name)
                .ok_or_else(|| format!("the environment variable {name} is not set"))?,
            Self::File(path) => read_file(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
        };
        if secret.is_empty() {
            return Err(format!("{self} is empty"));
        }
        Ok(secret.into())
    }
}

fn read_file(path: &PathBuf) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_FILE).read_to_string(&mut text)?;
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    Ok(text)
}

impl std::fmt::Display for SecretSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "the environment variable {name}"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}
