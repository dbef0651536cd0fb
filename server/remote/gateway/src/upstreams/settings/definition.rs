//! How an upstream is supervised, with its secrets read and its login looked up.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use secrecy::SecretString;
use toolwrit_bindings::{ClientGrant, ClientTokens, ConnectionOptions, Environment, SecretSource};
use toolwrit_upstreams::Secrets;
use toolwrit_upstreams::model::{Definition, Endpoint, Start};

use super::{Fixed, FixedSecrets, SecretTarget, UpstreamSettings, reader};
use crate::login::{LoginSettings, LoginTarget, LoginTokens, Logins};
use crate::upstreams::nesting;
use crate::upstreams::tokens::IssuedTokens;

impl UpstreamSettings {
    /// Reads its secrets and the variables in its texts, and returns how it is supervised by the gateway of a
    /// configuration file, and the secrets among the arguments of its tools.
    ///
    /// # Errors
    /// A sentence about the first one that is missing, or about a gateway that must not start upstreams.
    pub(crate) async fn definition(
        &self,
        configuration: &Path,
        start: Option<Start>,
    ) -> Result<(Definition, FixedSecrets), String> {
        let environment = Environment::process();
        let endpoint = self.imported.endpoint(|name| environment.get(name));
        let mut endpoint =
            endpoint.map_err(|unset| format!("Its configuration fails: {unset}."))?;
        let secrets = Secrets::default();
        let mut fixed = FixedSecrets::new();
        for (tool, argument, source) in self.secret_arguments() {
            let secret = read(source, &environment).await?;
            secrets.add(&secret);
            fixed.entry(tool.to_owned()).or_default().push((argument.to_owned(), secret));
        }
        for (target, source) in &self.secrets {
            let secret = read(source, &environment).await?;
            match target {
                SecretTarget::Header(_) => secrets.add_header(&secret),
                SecretTarget::Variable(_) | SecretTarget::Token => secrets.add(&secret),
            }
            put(&mut endpoint, target, secret);
        }
        let endpoint = self.prepared(endpoint, configuration, environment).await?;
        let mut definition = Definition::new(&self.name, endpoint);
        definition.secrets.add_all(&secrets);
        definition.start = start.unwrap_or(self.start);
        definition.asks_users = self.passes.questions;
        definition.resources = self.passes.resources;
        definition.prompts = self.passes.prompts;
        if let Some(time) = self.start_timeout {
            definition.timing.start = time;
        }
        Ok((definition, fixed))
    }

    /// Puts a program into its container, and gives a remote server its networks and its tokens.
    async fn prepared(
        &self,
        endpoint: Endpoint,
        configuration: &Path,
        environment: Environment,
    ) -> Result<Endpoint, String> {
        Ok(match endpoint {
            Endpoint::Command(mut command) => {
                if let Some(container) = &self.container {
                    container.prepare(configuration, &self.name, &mut command).await;
                }
                Endpoint::Command(nesting::within(configuration, command)?)
            }
            Endpoint::Remote(mut remote) => {
                remote.networks.clone_from(&self.networks);
                if let Some(grant) = &self.grant {
                    let tokens = self.tokens(grant.clone(), &remote.url, environment);
                    remote.tokens = Some(Arc::new(IssuedTokens(tokens)));
                }
                if let Some(login) = &self.login {
                    let tokens = LoginTokens::new(self.target_of(login.clone(), &remote.url))?;
                    remote.tokens = Some(Arc::new(tokens));
                }
                Endpoint::Remote(remote)
            }
        })
    }

    /// The arguments that are always sent and secret.
    fn secret_arguments(&self) -> impl Iterator<Item = (&str, &str, &SecretSource)> {
        self.tools.iter().flat_map(|(tool, said)| {
            said.arguments.iter().filter_map(move |(argument, said)| match &said.fixed {
                Some(Fixed::Secret(source)) => Some((tool.as_str(), argument.as_str(), source)),
                _ => None,
            })
        })
    }

    /// What the user logs in to; `None` without a login.
    ///
    /// # Errors
    /// If a variable in its address is not set, as a sentence.
    pub fn login_target(&self) -> Result<Option<LoginTarget>, String> {
        let Some(login) = self.login.clone() else { return Ok(None) };
        let environment = Environment::process();
        match self.imported.endpoint(|name| environment.get(name)) {
            Ok(Endpoint::Remote(remote)) => Ok(Some(self.target_of(login, &remote.url))),
            Ok(Endpoint::Command(_)) => Ok(None),
            Err(unset) => Err(format!("Its configuration fails: {unset}.")),
        }
    }

    /// Whether the user logs in to it.
    pub(crate) fn has_login(&self) -> bool {
        self.login.is_some()
    }

    /// When the login was last changed.
    pub(crate) fn login_changed(&self) -> Option<SystemTime> {
        self.login.as_ref()?;
        Logins::of_user().ok()?.changed(&self.name)
    }

    fn target_of(&self, settings: LoginSettings, url: &str) -> LoginTarget {
        let (upstream, networks) = (self.name.clone(), self.networks.clone());
        LoginTarget { upstream, url: url.to_owned(), networks, settings }
    }

    /// The tokens for the server at an address. Authorization servers know it as the resource, or by their own name, the
    /// audience.
    fn tokens(&self, mut grant: ClientGrant, url: &str, environment: Environment) -> ClientTokens {
        if grant.audience.is_none() {
            grant.resource = Some(url.to_owned());
        }
        let networks = self.networks.clone();
        let options = ConnectionOptions { networks, ..ConnectionOptions::default() };
        ClientTokens::new(&self.name, grant, environment, options)
    }
}

async fn read(source: &SecretSource, environment: &Environment) -> Result<SecretString, String> {
    let secret = source.read(environment).await;
    secret.map_err(|why| format!("A secret cannot be read: {why}."))
}

/// Puts a secret where it is used. The reader has refused the targets that an endpoint does not have.
fn put(endpoint: &mut Endpoint, target: &SecretTarget, secret: SecretString) {
    match (endpoint, target) {
        (Endpoint::Command(command), SecretTarget::Variable(name)) => {
            command.environment.insert(name.clone(), secret);
        }
        (Endpoint::Remote(remote), SecretTarget::Header(name)) => {
            remote.headers.insert(name.clone(), secret);
        }
        (Endpoint::Remote(remote), SecretTarget::Token) => {
            remote.headers.insert("Authorization".to_owned(), reader::bearer(&secret));
        }
        _ => {}
    }
}
