//! Finds the account of an access token. The token file is checked on each request, so that revoking a
//! token needs no restart.

use std::fs::Metadata;
#[cfg(feature = "browser")]
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::file::{Token, TokenFault, TokenFile};
#[cfg(feature = "browser")]
use super::secret;
use super::secret::Digest;
use super::unidentified::Unidentified;
use toolwrit_core::authority::Tables;
use toolwrit_core::caller::principal::{Identity, Principal};

/// The accounts of the token file, by token.
pub struct Accounts {
    /// `None` if the server has no token file, and therefore no tokens.
    file: Option<TokenFile>,
    roles: Vec<Arc<str>>,
    known: Mutex<KnownTokens>,
    /// What [`Self::redeem`] exchanges.
    #[cfg(feature = "browser")]
    launch: Mutex<Option<Launch>>,
    /// The command with which the only user calls operations; `None` if the server is not for one user.
    #[cfg(feature = "browser")]
    user_command: Option<String>,
}

/// A code that is exchanged for a token, once.
#[cfg(feature = "browser")]
struct Launch {
    code: Digest,
    token: String,
}

/// Access for the user who started the server, and no one else.
#[cfg(feature = "browser")]
pub struct UserAccess {
    /// The accounts to serve.
    pub accounts: Accounts,
    /// The token of the user.
    pub token: String,
    /// A code for which a page gets the token, once. Other users may see the arguments of the program that opens the page.
    pub code: String,
}

struct KnownTokens {
    /// Whether every request needs a token. Stays `true` when the last token is revoked.
    required: bool,
    stamp: Option<Stamp>,
    accounts: Vec<TokenAccount>,
}

/// Metadata of the token file that changes when the file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// Inode and change time (seconds, nanoseconds). Unlike the modification time, programs cannot set it.
    #[cfg(unix)]
    file: (u64, i64, i64),
}

impl Stamp {
    fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            modified: metadata.modified().ok(),
            bytes: metadata.len(),
            #[cfg(unix)]
            file: (metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

struct TokenAccount {
    sha256: Digest,
    identity: Identity,
}

impl Accounts {
    /// Reads the file. Every request needs a token if `required`, or if the file exists, even without tokens:
    /// an operator who made the file did not mean to open the server to everyone.
    ///
    /// # Errors
    /// If the file cannot be read, or names a role that the authority does not have.
    pub fn open(
        file: Option<TokenFile>,
        tables: &Tables,
        required: bool,
    ) -> Result<Self, TokenFault> {
        let stamp = stamp(file.as_ref());
        let roles: Vec<Arc<str>> =
            tables.roles.iter().map(|role| role.name.as_str().into()).collect();
        let accounts = accounts(file.as_ref(), &roles)?;
        let required = required || stamp.is_some() || !accounts.is_empty();
        let known = KnownTokens { required, stamp, accounts };
        let known = Mutex::new(known);
        Ok(Self {
            file,
            roles,
            known,
            #[cfg(feature = "browser")]
            launch: Mutex::default(),
            #[cfg(feature = "browser")]
            user_command: None,
        })
    }

    /// Returns access for a server that only its own user may call. `command`, followed by an operation, calls it on a
    /// command line.
    ///
    /// # Errors
    /// If the system provides no random bytes.
    #[cfg(feature = "browser")]
    pub fn of_user(command: String) -> io::Result<UserAccess> {
        let (token, code) = (secret::generate()?, secret::generate()?);
        let only = TokenAccount { sha256: Digest::hash(&token), identity: Identity::default() };
        let known = KnownTokens { required: true, stamp: None, accounts: vec![only] };
        let launch = Launch { code: Digest::hash(&code), token: token.clone() };
        let accounts = Self {
            file: None,
            roles: Vec::new(),
            known: Mutex::new(known),
            launch: Mutex::new(Some(launch)),
            user_command: Some(command),
        };
        Ok(UserAccess { accounts, token, code })
    }

    /// The command with which the only user calls operations.
    #[cfg(feature = "browser")]
    pub(crate) fn user_command(&self) -> Option<&str> {
        self.user_command.as_deref()
    }

    /// Returns the token for a code; `None` for a wrong or used one.
    #[cfg(feature = "browser")]
    pub(crate) fn redeem(&self, code: &str) -> Option<String> {
        let mut launch = self.launch.lock().unwrap_or_else(PoisonError::into_inner);
        let code = Digest::hash(code);
        launch.take_if(|launch| launch.code.matches(&code)).map(|launch| launch.token)
    }

    /// Whether there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.known().accounts.is_empty()
    }

    /// Whether every request needs a token.
    pub fn are_required(&self) -> bool {
        self.known().required
    }

    /// Returns the identity of the request. A wrong token is refused even if no token is required.
    ///
    /// # Errors
    /// If the token is wrong, or missing while one is required.
    pub(crate) fn identify(&self, token: Option<&str>) -> Result<Identity, Unidentified> {
        let mut known = self.known();
        let now = stamp(self.file.as_ref());
        if known.stamp != now {
            self.reload(&mut known, now);
        }
        let Some(token) = token else {
            let open = !known.required;
            return open.then(Identity::default).ok_or(Unidentified::Missing);
        };
        let presented = Digest::hash(token);
        // Compare with every token, so that the time taken does not reveal which one matched.
        let found = known.accounts.iter().fold(None, |found, account| {
            if account.sha256.matches(&presented) { Some(account) } else { found }
        });
        found.map(|account| account.identity.clone()).ok_or(Unidentified::Invalid)
    }

    fn reload(&self, known: &mut KnownTokens, stamp: Option<Stamp>) {
        known.stamp = stamp;
        match accounts(self.file.as_ref(), &self.roles) {
            Ok(accounts) => known.accounts = accounts,
            Err(error) => {
                // Accept no token if the file does not parse: the edit may have been meant to revoke one.
                tracing::error!(%error, "cannot read the token file; all tokens are refused");
                known.accounts.clear();
                known.required = true;
            }
        }
        known.required |= stamp.is_some();
    }

    fn known(&self) -> std::sync::MutexGuard<'_, KnownTokens> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamp(file: Option<&TokenFile>) -> Option<Stamp> {
    std::fs::metadata(file?.path()).ok().as_ref().map(Stamp::from_metadata)
}

fn accounts(file: Option<&TokenFile>, roles: &[Arc<str>]) -> Result<Vec<TokenAccount>, TokenFault> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let account = |token: Token| {
        let role = roles.iter().find(|role| ***role == *token.role);
        let role = role.ok_or_else(|| TokenFault::Content {
            path: file.path().to_owned(),
            message: format!("the token `{}` has the unknown role `{}`", token.name, token.role),
        })?;
        let principal = Principal::new(&token.name);
        let identity = Identity { principal, role: Some(role.clone()), attributes: None };
        Ok(TokenAccount { sha256: token.sha256, identity })
    };
    file.read()?.into_iter().map(account).collect()
}
