//! A program that is an MCP server.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use secrecy::SecretString;
use toolwrit_text::{Secrets, names_secret};

/// A program with its arguments and environment. No shell reads them.
#[derive(Clone)]
pub struct Command {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub program: String,
    pub arguments: Vec<String>,
    /// Variables besides `PATH`, `HOME` and `LANG`. The program has no others.
    pub environment: BTreeMap<String, SecretString>,
    /// Its working directory, if it is not ours.
    pub directory: Option<PathBuf>,
    /// A program with its arguments that removes what remains when this one does not end by itself. None of these words has
    /// white space.
    pub cleanup: Option<Vec<String>>,
}

/// Programs that may download a server before they start it.
const INSTALLERS: [&str; 9] =
    ["bunx", "docker", "npm", "npx", "pipx", "pnpm", "podman", "uv", "uvx"];

impl Command {
    /// Creates a program with arguments, and without variables of its own.
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            environment: BTreeMap::new(),
            directory: None,
            cleanup: None,
        }
    }

    /// Adds a variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.insert(name.into(), value.into().into());
        self
    }

    /// The variables whose names say that they are secrets.
    pub(super) fn secrets(&self) -> Secrets {
        let named = self.environment.iter().filter(|(name, _)| names_secret(name));
        Secrets::from_secrets(named.map(|(_, value)| value))
    }

    /// Whether the program may download the server before it starts it.
    pub fn installs(&self) -> bool {
        let file = self.program.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.strip_suffix(".exe").or_else(|| file.strip_suffix(".cmd")).unwrap_or(file);
        INSTALLERS.contains(&stem)
    }
}

impl fmt::Debug for Command {
    /// Shows the names of the variables, but no arguments, because both may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("variables", &self.environment.keys().collect::<Vec<_>>())
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
