//! Accounts that the application knows by itself.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::http::HeaderMap;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use super::unidentified::Unidentified;
use toolwrit_core::authority::Tables;
use toolwrit_core::principal::{Attributes, Identity, Principal};

/// An account, as an application knows it from the headers of a request.
#[derive(Debug, Clone, Default)]
pub struct Account {
    name: String,
    role: Option<String>,
    attributes: Attributes,
}

impl Account {
    /// The account of this name, which limits and the audit go by.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Gives it a role of the manifest. Without one, the server's own role stands.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Gives it a scope, which handlers find in the context.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.attributes.scopes.push(scope.into());
        self
    }

    /// Gives it a claim, which handlers find in the context.
    #[must_use]
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attributes.claims.insert(name.into(), value.into());
        self
    }
}

type Identify = dyn Fn(HeaderMap) -> BoxFuture<'static, Option<Account>> + Send + Sync;

/// How an application finds the account of a request. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Authenticator(Arc<Identify>);

impl Authenticator {
    pub(crate) fn new<F, A>(identify: F) -> Self
    where
        F: Fn(HeaderMap) -> A + Send + Sync + 'static,
        A: Future<Output = Option<Account>> + Send + 'static,
    {
        Self(Arc::new(move |headers| Box::pin(identify(headers))))
    }

    /// For an authority with these roles.
    pub(crate) fn for_roles(self, tables: &Tables<'_>) -> ApplicationAccounts {
        let roles = tables.roles.iter().map(|role| role.name.into()).collect();
        ApplicationAccounts { identify: self.0, roles }
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticator")
    }
}

/// The application's accounts.
pub struct ApplicationAccounts {
    identify: Arc<Identify>,
    roles: Vec<Arc<str>>,
}

impl ApplicationAccounts {
    /// Who sends a request with these headers.
    ///
    /// # Errors
    /// When the application finds no account, or names a role that does not exist.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Identity, Unidentified> {
        let headers = headers.clone();
        // The call of the closure may panic, too.
        let found = AssertUnwindSafe(async { (self.identify)(headers).await }).catch_unwind().await;
        let account = found.map_err(|_| {
            tracing::error!("the application panicked when it looked for an account");
            Unidentified::Unknown
        })?;
        let Account { name, role, attributes } = account.ok_or(Unidentified::Unknown)?;
        let known = |name: String| {
            let role = self.roles.iter().find(|role| ***role == *name).cloned();
            role.ok_or_else(|| {
                tracing::error!(role = name, "the application gives a role that there is not");
                Unidentified::Unknown
            })
        };
        let role = role.map(known).transpose()?;
        let attributes = (attributes != Attributes::default()).then(|| Arc::new(attributes));
        Ok(Identity { principal: Principal::named(&name), role, attributes })
    }
}
