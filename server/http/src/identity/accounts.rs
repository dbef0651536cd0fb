//! Which account a presented access token stands for. The file is followed while the server runs, so
//! a revoked token ends without a restart.

use std::fs::Metadata;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::file::{Token, TokenFault, TokenFile};
use super::secret::Digest;
use super::unidentified::Unidentified;
use toolwrit_core::authority::Tables;
use toolwrit_core::principal::{Identity, Principal};

/// The accounts, by token.
pub struct Accounts {
    /// None where there is no place for one, and so no token.
    file: Option<TokenFile>,
    roles: Vec<Arc<str>>,
    known: Mutex<KnownTokens>,
}

struct KnownTokens {
    /// Every request needs a token. It stays so when the last token is revoked.
    required: bool,
    stamp: Option<Stamp>,
    accounts: Vec<TokenAccount>,
}

/// What changes when the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// The file itself, and when anything of it changed, which no program can set: seconds and nanoseconds.
    #[cfg(unix)]
    file: (u64, i64, i64),
}

impl Stamp {
    fn of(about: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            modified: about.modified().ok(),
            bytes: about.len(),
            #[cfg(unix)]
            file: (about.ino(), about.ctime(), about.ctime_nsec()),
        }
    }
}

struct TokenAccount {
    sha256: Digest,
    identity: Identity,
}

impl Accounts {
    /// Reads the file. If there is one, even without tokens, or when `required`, every request needs one:
    /// whoever made it did not mean to let everybody in.
    ///
    /// # Errors
    /// A file that cannot be read, or that names a role which the authority does not have.
    pub fn open(
        file: Option<TokenFile>,
        tables: &Tables<'_>,
        required: bool,
    ) -> Result<Self, TokenFault> {
        let stamp = stamp(file.as_ref());
        let roles: Vec<Arc<str>> = tables.roles.iter().map(|role| role.name.into()).collect();
        let accounts = accounts(file.as_ref(), &roles)?;
        let required = required || stamp.is_some() || !accounts.is_empty();
        let known = KnownTokens { required, stamp, accounts };
        Ok(Self { file, roles, known: Mutex::new(known) })
    }

    /// Whether any token is accepted.
    pub fn is_empty(&self) -> bool {
        self.known().accounts.is_empty()
    }

    /// Whether a token is needed.
    pub fn are_required(&self) -> bool {
        self.known().required
    }

    /// Who presents this token. A wrong token is refused even where none is needed.
    ///
    /// # Errors
    /// When the request is refused.
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
        let presented = Digest::of(token);
        // All are compared, so that the time does not tell which one it was.
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
                // A file that does not parse gives access to no token: it may be a failed revocation.
                tracing::error!(%error, "the tokens cannot be read, so none is accepted");
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
    std::fs::metadata(file?.path()).ok().as_ref().map(Stamp::of)
}

fn accounts(file: Option<&TokenFile>, roles: &[Arc<str>]) -> Result<Vec<TokenAccount>, TokenFault> {
    let Some(file) = file else { return Ok(Vec::new()) };
    let account = |token: Token| {
        let role = roles.iter().find(|role| ***role == *token.role);
        let role = role.ok_or_else(|| TokenFault::Content {
            path: file.path().to_owned(),
            message: format!("the token `{}` has the unknown role `{}`", token.name, token.role),
        })?;
        let principal = Principal::named(&token.name);
        let identity = Identity { principal, role: Some(role.clone()), attributes: None };
        Ok(TokenAccount { sha256: token.sha256, identity })
    };
    file.read()?.into_iter().map(account).collect()
}
