//! The access tokens of a login. Processes that share a login renew its tokens one after the other, and use what another one
//! has renewed: a server that rotates refresh tokens takes each only once.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use futures::future::BoxFuture;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::Mutex;
use toolwrit_upstreams::model::{NoToken, TokenSource};

use super::LoginTarget;
use super::server::{Refused, Server};
use super::store::{Access, Login, Logins};

/// The first pause and the longest one after an authorization server has failed.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));

/// The access tokens of a login.
pub(crate) struct LoginTokens {
    target: LoginTarget,
    logins: Logins,
    now: Mutex<Now>,
}

/// What is known now.
#[derive(Default)]
struct Now {
    login: Option<Login>,
    /// When the file with the login was changed.
    changed: Option<SystemTime>,
    /// A token that the upstream has refused.
    refused: Option<SecretString>,
    failure: Option<Failure>,
}

/// An authorization server that has failed is not asked again before the end of a pause.
struct Failure {
    why: String,
    pause: Duration,
    until: Instant,
}

impl fmt::Debug for LoginTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginTokens")
            .field("upstream", &self.target.upstream)
            .finish_non_exhaustive()
    }
}

impl Now {
    /// The token, if it is not about to expire.
    fn fresh(&self) -> Option<SecretString> {
        self.usable(|access| access.renew_at)
    }

    /// The token, if it has not expired.
    fn valid(&self) -> Option<SecretString> {
        self.usable(|access| access.expires_at)
    }

    fn usable(&self, until: impl Fn(&Access) -> Option<u64>) -> Option<SecretString> {
        let access = self.login.as_ref()?.access.as_ref()?;
        let is_refused =
            self.refused.as_ref().is_some_and(|token| token.expose_secret() == access.token);
        let is_usable = !is_refused && Access::is_valid(until(access));
        is_usable.then(|| access.token.clone().into())
    }
}

impl LoginTokens {
    /// # Errors
    /// If the user has no home folder.
    pub(crate) fn new(target: LoginTarget) -> Result<Self, String> {
        Ok(Self { target, logins: Logins::of_user()?, now: Mutex::default() })
    }

    async fn current(&self) -> Result<SecretString, NoToken> {
        let mut now = self.now.lock().await;
        let changed = self.logins.changed(&self.target.upstream);
        if now.login.is_none() || changed != now.changed {
            self.read(&mut now)?;
            now.failure = None;
        }
        if now.login.is_none() {
            return Err(self.ended("Nobody has logged in."));
        }
        if let Some(token) = now.fresh() {
            return Ok(token);
        }
        match self.renewed(&mut now).await {
            Err(why) if !why.refused => now.valid().ok_or(why),
            renewed => renewed,
        }
    }

    /// Reads the file.
    fn read(&self, now: &mut Now) -> Result<(), NoToken> {
        // Before the file, so that a change in between is noticed.
        now.changed = self.logins.changed(&self.target.upstream);
        now.login = self.logins.read(&self.target).map_err(missing)?;
        Ok(())
    }

    /// Renews the token, unless another process has.
    async fn renewed(&self, now: &mut Now) -> Result<SecretString, NoToken> {
        if let Some(failure) = now.failure.as_ref().filter(|one| Instant::now() < one.until) {
            return Err(later(failure.why.clone()));
        }
        let locked = self.logins.lock(&self.target.upstream).await.map_err(later)?;
        self.read(now)?;
        if let Some(token) = now.fresh() {
            return Ok(token);
        }
        let login = now.login.clone();
        let mut login = login.ok_or_else(|| self.ended("Nobody has logged in."))?;
        let refresh = match &login.refresh {
            Some(refresh) => refresh.read().await.map_err(missing)?,
            None => return Err(self.ended("The login has ended.")),
        };
        let server = Server::new(&self.target, &login).await.map_err(missing)?;
        let issued = match server.renew(refresh).await {
            Ok(issued) => issued,
            Err(refused) => {
                if refused.drop_from(&mut login) {
                    self.logins.write(&login, &locked).map_err(later)?;
                    return Err(self.ended(&refused.into_reason()));
                }
                return Err(now.fail(refused));
            }
        };
        login.take(issued).await;
        // Kept before it is used: the server no longer takes the refresh token before it.
        self.logins.write(&login, &locked).map_err(later)?;
        self.read(now)?;
        now.failure = None;
        now.fresh().or_else(|| now.valid()).ok_or_else(|| self.ended("The new token has expired."))
    }

    fn ended(&self, why: &str) -> NoToken {
        missing(format!("{why} The operator runs `upstream login {}`.", self.target.upstream))
    }
}

impl Now {
    /// Waits longer after each failure.
    fn fail(&mut self, refused: Refused) -> NoToken {
        let (first, longest) = PAUSES;
        let pause = self.failure.as_ref().map_or(first, |last| (last.pause * 2).min(longest));
        let why = refused.into_reason();
        self.failure = Some(Failure { why: why.clone(), pause, until: Instant::now() + pause });
        later(why)
    }
}

/// There is no token before the operator does something.
fn missing(reason: String) -> NoToken {
    NoToken { reason, refused: true }
}

/// There may be a token later.
fn later(reason: String) -> NoToken {
    NoToken { reason, refused: false }
}

impl TokenSource for LoginTokens {
    fn token(&self) -> BoxFuture<'_, Result<SecretString, NoToken>> {
        Box::pin(self.current())
    }

    fn forget<'a>(&'a self, refused: &'a SecretString) -> BoxFuture<'a, ()> {
        Box::pin(async { self.now.lock().await.refused = Some(refused.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_fails_is_asked_again_after_longer_and_longer_pauses() {
        let mut now = Now::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            let why = now.fail(Refused::Other("It fails.".to_owned()));
            assert!(!why.refused);
            pauses.push(now.failure.as_ref().unwrap().pause.as_secs());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    }
}
