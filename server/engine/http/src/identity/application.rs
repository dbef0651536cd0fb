//! Accounts that the application finds with code of its own.

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
use toolwrit_core::caller::principal::{Attributes, Identity, Principal};

/// The account that an application found for the headers of a request.
#[derive(Debug, Clone, Default)]
pub struct Account {
    name: String,
    role: Option<String>,
    attributes: Attributes,
}

impl Account {
    /// Creates an account. Limits and the audit identify it by this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the role, which the manifest must declare. Without one, the server's own role applies.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Adds a scope, which handlers can read from the context.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.attributes.scopes.push(scope.into());
        self
    }

    /// Adds a claim, which handlers can read from the context.
    #[must_use]
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attributes.claims.insert(name.into(), value.into());
        self
    }
}

type Identify = dyn Fn(HeaderMap) -> BoxFuture<'static, Option<Account>> + Send + Sync;

/// The application's function that finds the account of a request. Cheap to clone.
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

    /// Binds the function to the roles of an authority, against which its results are checked.
    pub(crate) fn for_roles(self, tables: &Tables) -> ApplicationAccounts {
        let roles = tables.roles.iter().map(|role| role.name.as_str().into()).collect();
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
    /// Returns the identity of a request with these headers.
    ///
    /// # Errors
    /// If the application finds no account, names an unknown role, or panics.
    pub(crate) async fn identify(&self, headers: &HeaderMap) -> Result<Identity, Unidentified> {
        let headers = headers.clone();
        // The closure itself may panic, not only its future.
        let found = AssertUnwindSafe(async { (self.identify)(headers).await }).catch_unwind().await;
        let account = found.map_err(|_| {
            tracing::error!("the application's authentication function panicked");
            Unidentified::Unknown
        })?;
        let Account { name, role, attributes } = account.ok_or(Unidentified::Unknown)?;
        let known = |name: String| {
            let role = self.roles.iter().find(|role| ***role == *name).cloned();
            role.ok_or_else(|| {
                tracing::error!(
                    role = name,
                    "the application's authentication function returned an unknown role"
                );
                Unidentified::Unknown
            })
        };
        let role = role.map(known).transpose()?;
        let attributes = (attributes != Attributes::default()).then(|| Arc::new(attributes));
        Ok(Identity { principal: Principal::new(&name), role, attributes })
    }
}
