//! How requests prove who sends them. Credentials come from settings only, and stand in no template.

mod client_credentials;
mod exchange;
mod form;
#[cfg(feature = "upstreams")]
mod grant;
mod issued;

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
    scheme: Option<Scheme>,
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

impl Credentials {
    /// # Errors
    /// `INTERNAL` if the table names a setting that does not exist, `PROVIDER_UNAVAILABLE` if the authorization
    /// server may not be reached.
    pub(crate) fn new(api: &Api, settings: &Settings, options: &ConnectionOptions) -> Result<Self> {
        let Some(auth) = &api.auth else {
            let fix = "The author of the manifest gives the provider `auth`; it has none.";
            return Ok(Self { scheme: None, fix: fix.to_owned() });
        };
        let find = |name: &str| setting(api, name);
        let scheme = match auth {
            Auth::Basic { user, password } => {
                Scheme::Basic { user: find(user)?, password: find(password)? }
            }
            Auth::Bearer { token } => Scheme::Bearer { token: find(token)? },
            Auth::HeaderKey { header, key } => {
                Scheme::HeaderKey { header: header.to_string(), key: find(key)? }
            }
            Auth::QueryKey { parameter, key } => {
                Scheme::QueryKey { parameter: parameter.to_string(), key: find(key)? }
            }
            Auth::ClientCredentials { token_url, client_id, client_secret, scope, audience } => {
                let client_credentials = ClientCredentials::new(
                    (find(client_id)?, find(client_secret)?),
                    [("scope", scope.as_deref()), ("audience", audience.as_deref())],
                );
                let url = base_url(&api.name, token_url, settings)?;
                let request = TokenRequest::ClientCredentials(client_credentials);
                Scheme::Issued(Box::new(IssuedTokens::new(&api.name, &url, request, options)?))
            }
            Auth::Exchange(table) => {
                let base = base_url(&api.name, &api.base, settings)?;
                let request = TokenRequest::Exchange(Exchange::new(api, table)?);
                let url = Exchange::url(&base, &table.path);
                Scheme::Issued(Box::new(IssuedTokens::new(&api.name, &url, request, options)?))
            }
        };
        let settings = quoted(&names(auth));
        let fix = format!("The operator of this server checks the settings {settings}.");
        Ok(Self { scheme: Some(scheme), fix })
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
        let read = async |setting: &Setting| settings.credential(setting, account).await;
        match &self.scheme {
            None => Ok(Credential::none()),
            Some(Scheme::Basic { user, password }) => {
                Credential::basic(&read(user).await?, read(password).await?)
            }
            Some(Scheme::Bearer { token }) => Credential::bearer(read(token).await?),
            Some(Scheme::HeaderKey { header, key }) => {
                Credential::header_key(header, read(key).await?)
            }
            Some(Scheme::QueryKey { parameter, key }) => {
                Ok(Credential::query_key(parameter, read(key).await?))
            }
            Some(Scheme::Issued(issued)) => issued.credential(account, settings).await,
        }
    }

    /// Forgets what is kept of a credential that the API refused.
    pub(crate) async fn forget(
        &self,
        account: Option<&str>,
        settings: &Settings,
        refused: &Credential,
    ) {
        match &self.scheme {
            None => {}
            Some(
                Scheme::Basic { password: secret, .. }
                | Scheme::Bearer { token: secret }
                | Scheme::HeaderKey { key: secret, .. }
                | Scheme::QueryKey { key: secret, .. },
            ) => settings.forget(secret, account, |kept| refused.contains(kept)).await,
            Some(Scheme::Issued(issued)) => {
                issued.forget(account, |token| refused.contains(token)).await;
            }
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
