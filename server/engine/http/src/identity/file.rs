//! The file of access tokens: TOML that people may read and edit. It holds digests, not the tokens.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::secret::{self, Digest};
use toolwrit_core::folders;
use toolwrit_text::nearest;

const HEADER: &str = "# Access tokens, by their SHA-256. Create one with `token new`; end it with `token \
                      revoke` or by deleting its entry.\n\n";

/// One access token.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// The name of its account.
    pub name: String,
    /// The role that it gives.
    pub role: String,
    /// When it was created.
    pub created: Timestamp,
    pub(super) sha256: Digest,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFileContent {
    #[serde(default, rename = "token")]
    tokens: Vec<Token>,
}

/// The path of the token file, which need not exist.
#[derive(Debug, Clone)]
pub struct TokenFile(PathBuf);

/// Why a token file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenFault {
    #[error("{}: {error}", .path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{} is not a valid token file: {message}", .path.display())]
    Content { path: PathBuf, message: String },
    #[error(
        "expected a token name of 1 to 64 letters, digits, `.`, `_` or `-`, other than `local`; got \
         `{0}`"
    )]
    Name(String),
    #[error("a token named `{0}` already exists; revoke it, or choose another name")]
    Taken(String),
    #[error("there is no token `{name}`{}", .close.first().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    Unknown { name: String, close: Vec<String> },
}

impl TokenFile {
    /// The file at this path.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the tokens, in the order of the file; none if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read or is not valid.
    pub fn read(&self) -> Result<Vec<Token>, TokenFault> {
        let text = match std::fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io(error)),
        };
        let content: TokenFileContent = toml::from_str(&text).map_err(|error| {
            TokenFault::Content { path: self.0.clone(), message: error.to_string() }
        })?;
        let tokens = content.tokens;
        for (at, token) in tokens.iter().enumerate() {
            check_name(&token.name)?;
            if tokens[..at].iter().any(|earlier| earlier.name == token.name) {
                let message = format!("the name `{}` appears twice", token.name);
                return Err(TokenFault::Content { path: self.0.clone(), message });
            }
        }
        Ok(tokens)
    }

    /// Creates a token, named after its role unless a name is given. Returns the name and the token itself,
    /// which is not stored.
    ///
    /// # Errors
    /// If the name is invalid or already used, or the file cannot be read or written.
    pub fn add(&self, name: Option<String>, role: &str) -> Result<(String, String), TokenFault> {
        let _lock = self.lock()?;
        let mut tokens = self.read()?;
        let taken = |name: &str| tokens.iter().any(|token| token.name == name);
        let name = name.unwrap_or_else(|| {
            let numbered = (2..).map(|number| format!("{role}-{number}"));
            std::iter::once(role.to_owned()).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
        });
        check_name(&name)?;
        if taken(&name) {
            return Err(TokenFault::Taken(name));
        }
        let secret = secret::generate().map_err(|error| self.io(error))?;
        let created = Timestamp::from_second(Timestamp::now().as_second()).unwrap_or_default();
        let sha256 = Digest::hash(&secret);
        tokens.push(Token { name: name.clone(), role: role.to_owned(), created, sha256 });
        self.write(tokens)?;
        Ok((name, secret))
    }

    /// Revokes a token.
    ///
    /// # Errors
    /// If no token has that name, or the file cannot be read or written.
    pub fn remove(&self, name: &str) -> Result<(), TokenFault> {
        let _lock = self.lock()?;
        let mut tokens = self.read()?;
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == before {
            let close = nearest::closest(name, tokens.iter().map(|token| token.name.as_str()));
            return Err(TokenFault::Unknown { name: name.to_owned(), close });
        }
        self.write(tokens)
    }

    /// Replaces the whole file. Only its owner may read or write it.
    fn write(&self, tokens: Vec<Token>) -> Result<(), TokenFault> {
        let text = toml::to_string(&TokenFileContent { tokens }).map_err(|error| {
            TokenFault::Content { path: self.0.clone(), message: error.to_string() }
        })?;
        let save = || {
            // `tempfile` creates files with mode 0600.
            let mut draft =
                tempfile::Builder::new().prefix(".tokens-").tempfile_in(self.folder())?;
            draft.write_all(HEADER.as_bytes())?;
            draft.write_all(text.as_bytes())?;
            draft.as_file().sync_all()?;
            draft.persist(&self.0).map(drop).map_err(|error| error.error)
        };
        save().map_err(|error| self.io(error))
    }

    /// Locks the file, so that two concurrent commands do not lose each other's change.
    fn lock(&self) -> Result<File, TokenFault> {
        let lock = || {
            folders::make_private(self.folder())?;
            let path = self.0.with_added_extension("lock");
            let file = folders::make_private_file(&path)?;
            file.lock().map(|()| file)
        };
        lock().map_err(|error| self.io(error))
    }

    fn folder(&self) -> &Path {
        match self.0.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }

    fn io(&self, error: io::Error) -> TokenFault {
        TokenFault::Io { path: self.0.clone(), error }
    }
}

/// Checks a name, which appears in logs, tables and the audit. `local` means a caller without a token.
fn check_name(name: &str) -> Result<(), TokenFault> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let good = (1..=64).contains(&name.len()) && name.chars().all(fits) && name != "local";
    if good { Ok(()) } else { Err(TokenFault::Name(name.escape_debug().take(80).collect())) }
}
