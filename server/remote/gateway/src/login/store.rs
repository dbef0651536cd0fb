//! What is kept of a login: its client and its tokens, in a private file.
//!
//! The types have no `Debug`, so that no log can have what is in them.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use toolwrit_core::folders;

use super::LoginTarget;
use super::kept::Kept;

/// The form of the file.
const FORMAT: u32 = 1;
/// Size limit of the file, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// How long another process may hold the lock: longer than a request takes.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long before its end a token is renewed, in seconds.
const MARGIN: u64 = 30;
/// The pause between two looks at the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// A login.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Login {
    pub(super) format: u32,
    pub(super) upstream: String,
    /// The address of the upstream. Nothing is used for another one.
    pub(super) url: String,
    /// The parameter `resource` of requests for tokens.
    pub(super) resource: Option<String>,
    pub(super) issuer: String,
    pub(super) metadata: Endpoints,
    /// `None` once the authorization server no longer knows it.
    pub(super) client: Option<Client>,
    /// The scopes that were granted.
    pub(super) scopes: Vec<String>,
    pub(super) access: Option<Access>,
    pub(super) refresh: Option<Kept>,
}

/// The part of the metadata of the authorization server that is needed without the user.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Endpoints {
    pub(super) token_endpoint: String,
    pub(super) revocation_endpoint: Option<String>,
}

/// A client of the authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    /// The secret of a registered client. That of a configured one stays where it is.
    pub(super) secret: Option<Kept>,
    pub(super) secret_expires_at: Option<u64>,
    pub(super) authentication: Authentication,
    pub(super) redirect: String,
    pub(super) how: Origin,
}

/// How a client says who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Authentication {
    None,
    ClientSecretBasic,
    ClientSecretPost,
}

/// Where a client comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    /// From the configuration.
    Configured,
    /// From the command line.
    Given,
    /// From a dynamic registration.
    Registered,
}

/// An access token. Times are in seconds since 1970, if the server has said when it expires.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Access {
    pub(super) token: String,
    pub(super) expires_at: Option<u64>,
    /// From when it is renewed.
    pub(super) renew_at: Option<u64>,
}

/// Tokens as they were issued.
pub(super) struct Issued {
    pub(super) access: Access,
    pub(super) refresh: Option<String>,
    /// `None` if they are those that were asked for.
    pub(super) scopes: Option<Vec<String>>,
}

impl Access {
    /// A token that is valid for so many seconds from now.
    pub(super) fn new(token: String, lifetime: Option<u64>) -> Self {
        let from_now = |seconds| now().saturating_add(seconds);
        // A token that is valid for a short time only is not renewed with each call.
        let margin = |lifetime| MARGIN.min(lifetime / 2);
        Self {
            token,
            expires_at: lifetime.map(from_now),
            renew_at: lifetime.map(|lifetime| from_now(lifetime - margin(lifetime))),
        }
    }

    /// Whether it is still valid at a time; also if the server has not said for how long.
    pub(super) fn is_valid(until: Option<u64>) -> bool {
        until.is_none_or(|until| now() < until)
    }
}

impl Client {
    /// Whether it can be used for another login.
    pub(super) fn is_usable(&self) -> bool {
        self.how != Origin::Configured && Access::is_valid(self.secret_expires_at)
    }
}

impl Login {
    /// A login without tokens.
    pub(super) fn new(
        target: &LoginTarget,
        (resource, issuer): (Option<String>, String),
        metadata: Endpoints,
        client: Client,
    ) -> Self {
        Self {
            format: FORMAT,
            upstream: target.upstream.clone(),
            url: target.url.clone(),
            resource,
            issuer,
            metadata,
            client: Some(client),
            scopes: Vec::new(),
            access: None,
            refresh: None,
        }
    }

    /// Takes new tokens. A server that issues no new refresh token leaves the old one valid.
    pub(super) async fn take(&mut self, issued: Issued) {
        self.access = Some(issued.access);
        if let Some(token) = issued.refresh {
            self.refresh = Some(Kept::keep(format!("{} refresh", self.upstream), token).await);
        }
        if let Some(scopes) = issued.scopes {
            self.scopes = scopes;
        }
    }

    /// Whether it is for what is configured now.
    fn is_for(&self, target: &LoginTarget) -> bool {
        let settings = &target.settings;
        let issuer = settings.issuer.as_ref().map(|issuer| issuer.as_str().trim_end_matches('/'));
        let is_same_client = |client: &Client| match &settings.client_id {
            Some(id) => client.id == *id,
            None => client.how != Origin::Configured,
        };
        self.url == target.url
            && issuer.is_none_or(|issuer| issuer == self.issuer.trim_end_matches('/'))
            && self.client.as_ref().is_none_or(is_same_client)
    }
}

/// The logins of the user, each in a file of a private folder.
#[derive(Debug, Clone)]
pub(crate) struct Logins {
    folder: PathBuf,
}

/// The right to change a login, until it is dropped.
pub(super) struct Locked {
    _file: File,
}

impl Logins {
    /// Uses the folder `toolwrit/logins` in the user's data folder. It is created when something is kept.
    ///
    /// # Errors
    /// If the user has no home folder.
    pub(crate) fn of_user() -> Result<Self, String> {
        let data = folders::data().ok_or("A login needs a home folder, in which it is kept.")?;
        Ok(Self { folder: data.join("toolwrit").join("logins") })
    }

    fn file(&self, upstream: &str) -> PathBuf {
        self.folder.join(format!("{upstream}.json"))
    }

    /// Reads a login, if it is for what is configured.
    pub(super) fn read(&self, target: &LoginTarget) -> Result<Option<Login>, String> {
        Ok(self.read_any(&target.upstream)?.filter(|login| login.is_for(target)))
    }

    /// Reads a login, for whatever it is.
    pub(super) fn read_any(&self, upstream: &str) -> Result<Option<Login>, String> {
        let path = self.file(upstream);
        let unreadable = |why: &dyn std::fmt::Display| {
            format!("The login in {} cannot be read: {why}.", path.display())
        };
        let size = match fs::metadata(&path) {
            Ok(found) => found.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&error)),
        };
        if size > MAX_FILE {
            return Err(unreadable(&format_args!("it has more than {MAX_FILE} bytes")));
        }
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&error))?;
        // The error may repeat a part of the file.
        let login: Login =
            serde_json::from_str(&text).map_err(|_| unreadable(&"it is no login"))?;
        match login.format {
            FORMAT => Ok(Some(login)),
            other => Err(unreadable(&format_args!("it has the format {other}"))),
        }
    }

    /// When a login was last changed.
    pub(crate) fn changed(&self, upstream: &str) -> Option<SystemTime> {
        fs::metadata(self.file(upstream)).and_then(|found| found.modified()).ok()
    }

    /// Waits until no other process changes a login.
    pub(super) async fn lock(&self, upstream: &str) -> Result<Locked, String> {
        let path = self.folder.join(format!("{upstream}.lock"));
        let failed = |error: &io::Error| format!("{} cannot be locked: {error}.", path.display());
        let opened = folders::make_private(&self.folder)
            .and_then(|()| folders::tighten(&self.folder))
            .and_then(|()| folders::make_private_file(&path));
        let file = opened.map_err(|error| failed(&error))?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Locked { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    tokio::time::sleep(PAUSE).await;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(format!("Another process holds {}.", path.display()));
                }
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
            }
        }
    }

    /// Writes a login. The file has the old bytes or the new ones.
    pub(super) fn write(&self, login: &Login, _: &Locked) -> Result<(), String> {
        let path = self.file(&login.upstream);
        let written = serde_json::to_vec_pretty(login)
            .map_err(io::Error::other)
            .and_then(|bytes| replace(&path, &bytes));
        written.map_err(|error| format!("{} cannot be written: {error}.", path.display()))
    }

    /// Deletes a login, also from the keyring.
    pub(super) async fn remove(&self, login: Login, _: &Locked) -> Result<(), String> {
        let path = self.file(&login.upstream);
        let secret = login.client.and_then(|client| client.secret);
        for kept in login.refresh.into_iter().chain(secret) {
            kept.forget().await;
        }
        fs::remove_file(&path)
            .map_err(|error| format!("{} cannot be deleted: {error}.", path.display()))
    }

    /// Whether other users may read a login.
    pub(super) fn is_exposed(&self, upstream: &str) -> bool {
        [self.folder.clone(), self.file(upstream)].iter().any(|path| is_exposed(path))
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    // A file of a process that was killed, under the same lock.
    let _ = fs::remove_file(&new);
    let mut file = folders::make_private_file(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(unix)]
fn is_exposed(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// On other systems a user's folders are private by default.
#[cfg(not(unix))]
fn is_exposed(_: &Path) -> bool {
    false
}

/// The time, in seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
