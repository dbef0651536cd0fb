//! How requests prove who sends them. Credentials come from settings only, and stand in no template.

mod client_credentials;
mod exchange;
mod form;
#[cfg(feature = "upstreams")]
mod grant;
mod issued;

use std::collections::HashSet;

use crate::base::base_url;
use crate::client::Credential;
use crate::failure::{Failure, Result};
use crate::model::{Api, Auth, Setting, SettingOrText};
use crate::options::ConnectionOptions;
use crate::settings::Settings;
use client_credentials::ClientCredentials;
use exchange::Exchange;
#[cfg(feature = "upstreams")]
pub use grant::{ClientGrant, ClientId, ClientTokens, TokenServer};
use issued::{IssuedTokens, TokenRequest};

/// The credentials of one API, by account.
pub(crate) struct Credentials {
    schemes: Vec<Scheme>,
    /// What to do if the API refuses them.
    fix: String,
}

/// [`Auth`], with the settings found.
enum Scheme {
    Basic { user: Setting, password: Setting },
    Bearer { token: Setting },
    HeaderKey { header: String, key: Setting },
    QueryKey { parameter: String, key: Setting },
    Issued(Box<IssuedTokens>),
}

impl Scheme {
    fn new(
        auth: &Auth,
        api: &Api,
        settings: &Settings,
        options: &ConnectionOptions,
    ) -> Result<Self> {
        let find = |name: &str| setting(api, name);
        Ok(match auth {
            Auth::Basic { user, password } => {
                Self::Basic { user: find(user)?, password: find(password)? }
            }
            Auth::Bearer { token } => Self::Bearer { token: find(token)? },
            Auth::HeaderKey { header, key } => {
                Self::HeaderKey { header: header.to_string(), key: find(key)? }
            }
            Auth::QueryKey { parameter, key } => {
                Self::QueryKey { parameter: parameter.to_string(), key: find(key)? }
            }
            Auth::ClientCredentials { token_url, client_id, client_secret, scope, audience } => {
                let client_credentials = ClientCredentials::new(
                    (find(client_id)?, find(client_secret)?),
                    [("scope", scope.as_deref()), ("audience", audience.as_deref())],
                );
                let url = base_url(&api.name, token_url, settings)?;
                let request = TokenRequest::ClientCredentials(client_credentials);
                Self::Issued(Box::new(IssuedTokens::new(&api.name, &url, request, options)?))
            }
            Auth::Exchange(table) => {
                let base = base_url(&api.name, &api.base, settings)?;
                let request = TokenRequest::Exchange(Exchange::new(api, table)?);
                let url = Exchange::url(&base, &table.path);
                Self::Issued(Box::new(IssuedTokens::new(&api.name, &url, request, options)?))
            }
        })
    }

    async fn credential(&self, account: Option<&str>, settings: &Settings) -> Result<Credential> {
        let read = async |setting: &Setting| settings.credential(setting, account).await;
        match self {
            Self::Basic { user, password } => {
                Credential::basic(&read(user).await?, read(password).await?)
            }
            Self::Bearer { token } => Credential::bearer(read(token).await?),
            Self::HeaderKey { header, key } => Credential::header_key(header, read(key).await?),
            Self::QueryKey { parameter, key } => {
                Ok(Credential::query_key(parameter, read(key).await?))
            }
            Self::Issued(issued) => issued.credential(account, settings).await,
        }
    }

    async fn forget(&self, account: Option<&str>, settings: &Settings, refused: &Credential) {
        match self {
            Self::Basic { password: secret, .. }
            | Self::Bearer { token: secret }
            | Self::HeaderKey { key: secret, .. }
            | Self::QueryKey { key: secret, .. } => {
                settings.forget(secret, account, |kept| refused.contains(kept)).await;
            }
            Self::Issued(issued) => {
                issued.forget(account, |token| refused.contains(token)).await;
            }
        }
    }
}

impl Credentials {
    /// # Errors
    /// `INTERNAL` if the table names a setting that does not exist, `PROVIDER_UNAVAILABLE` if the authorization
    /// server may not be reached.
    pub(crate) fn new(api: &Api, settings: &Settings, options: &ConnectionOptions) -> Result<Self> {
        if api.auth.is_empty() {
            let fix = "The author of the manifest gives the provider `auth`; it has none.";
            return Ok(Self { schemes: Vec::new(), fix: fix.to_owned() });
        }
        let schemes = api.auth.iter().map(|auth| Scheme::new(auth, api, settings, options));
        let mut names: Vec<&str> = api.auth.iter().flat_map(names).collect();
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        let fix = format!("The operator of this server checks the settings {}.", quoted(&names));
        Ok(Self { schemes: schemes.collect::<Result<_>>()?, fix })
    }

    /// What to do if the API refuses the credentials, as a sentence: which settings to check.
    pub(crate) fn fix(&self) -> &str {
        &self.fix
    }

    /// Returns the credential of an account.
    ///
    /// # Errors
    /// `PROVIDER_UNAVAILABLE` if it is missing, also `UPSTREAM_ERROR` if an authorization server fails.
    pub(crate) async fn credential(
        &self,
        account: Option<&str>,
        settings: &Settings,
    ) -> Result<Credential> {
        let mut credential = Credential::none();
        for scheme in &self.schemes {
            credential.extend(scheme.credential(account, settings).await?);
        }
        Ok(credential)
    }

    /// Forgets what is kept of a credential that the API refused.
    pub(crate) async fn forget(
        &self,
        account: Option<&str>,
        settings: &Settings,
        refused: &Credential,
    ) {
        for scheme in &self.schemes {
            scheme.forget(account, settings, refused).await;
        }
    }
}

/// The settings that a scheme uses.
fn names(auth: &Auth) -> Vec<&str> {
    match auth {
        Auth::Basic { user, password } => vec![user, password],
        Auth::Bearer { token } => vec![token],
        Auth::HeaderKey { key, .. } | Auth::QueryKey { key, .. } => vec![key],
        Auth::ClientCredentials { client_id, client_secret, .. } => vec![client_id, client_secret],
        Auth::Exchange(table) => {
            let settings = table.fields.iter().filter_map(|field| match &field.value {
                SettingOrText::Setting(name) => Some(&**name),
                SettingOrText::Text(_) => None,
            });
            settings.collect()
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

fn setting(api: &Api, name: &str) -> Result<Setting> {
    let found = api.settings.iter().find(|setting| setting.name == name);
    found.cloned().ok_or_else(|| Failure::defect(format_args!("there is no setting `{name}`")))
}
