//! The flags of the OAuth authorization server.

use std::str::FromStr;

use clap::Args;

use crate::exit::Exit;
use crate::program::Program;
use toolwrit_http::identity::{Address, Grant, ResourceServer, Scope};
use toolwrit_text::nearest;

/// The flags of the OAuth authorization server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "OAuth")]
pub(crate) struct OauthFlags {
    /// Accept access tokens of this authorization server over HTTP, in addition to those of `token new`.
    #[arg(
        long = "oauth-issuer",
        env = "TOOLWRIT_OAUTH_ISSUER",
        hide_env_values = true,
        value_name = "URL"
    )]
    issuer: Option<Address>,
    /// URL of this server as its clients use it; tokens must name it as their audience:
    /// `https://example.com/mcp`.
    #[arg(
        long = "oauth-audience",
        env = "TOOLWRIT_OAUTH_AUDIENCE",
        hide_env_values = true,
        value_name = "URL"
    )]
    audience: Option<Address>,
    /// Role that a scope gives; repeatable. If a token has several scopes, the first one listed here
    /// applies, so list the most powerful first.
    #[arg(
        long = "oauth-scope",
        env = "TOOLWRIT_OAUTH_SCOPE",
        hide_env_values = true,
        value_name = "SCOPE=ROLE",
        value_delimiter = ','
    )]
    scopes: Vec<Mapping>,
    /// URL of the authorization server's keys; by default, the one in its metadata.
    #[arg(
        long = "oauth-jwks",
        env = "TOOLWRIT_OAUTH_JWKS",
        hide_env_values = true,
        value_name = "URL"
    )]
    keys: Option<Address>,
    /// Id of the tool browser as a public client of the authorization server, with the redirect URI
    /// `https://example.com/browser/callback`. Without it, the page registers itself, if the server allows that.
    #[arg(
        long = "oauth-client",
        env = "TOOLWRIT_OAUTH_CLIENT",
        hide_env_values = true,
        value_name = "ID"
    )]
    client: Option<String>,
}

/// `SCOPE=ROLE`. The role is not checked yet.
#[derive(Debug, Clone)]
struct Mapping {
    scope: Scope,
    role: String,
}

impl FromStr for Mapping {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Names of roles contain no `=`, but scopes may.
        let (scope, role) = text.rsplit_once('=').ok_or("expected SCOPE=ROLE")?;
        let scope = scope.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { scope, role: role.to_owned() })
    }
}

impl Mapping {
    fn grant(self, program: &Program) -> Result<Grant, Exit> {
        let Self { scope, role: wanted } = self;
        let roles = program.tables().roles.iter().map(|role| role.name.as_str());
        if let Some(role) = roles.clone().find(|role| *role == wanted) {
            return Ok(Grant { scope, role: role.into() });
        }
        let close = nearest::closest(&wanted, roles);
        let hint = close.first().map(|role| format!("; did you mean `{role}`?"));
        Err(Exit::Configuration(format!(
            "--oauth-scope {}: there is no role `{wanted}`{}",
            scope.as_str(),
            hint.unwrap_or_default()
        )))
    }
}

impl OauthFlags {
    /// Whether `--oauth-issuer` is given.
    pub(crate) fn is_named(&self) -> bool {
        self.issuer.is_some()
    }

    /// Builds the verifier of these tokens. `None` if no authorization server is named.
    ///
    /// # Errors
    /// If a required flag is missing, or a role does not exist.
    pub(crate) fn resource_server(self, program: &Program) -> Result<Option<ResourceServer>, Exit> {
        let missing = |flag, why| Exit::Configuration(format!("{flag} is missing: {why}"));
        let Self { issuer, audience, scopes, keys, client } = self;
        let Some(issuer) = issuer else {
            let is_empty =
                audience.is_none() && scopes.is_empty() && keys.is_none() && client.is_none();
            let why = "the other --oauth flags have no effect without it";
            return if is_empty { Ok(None) } else { Err(missing("--oauth-issuer", why)) };
        };
        let why = "without it, tokens for other servers would be accepted";
        let audience = audience.ok_or_else(|| missing("--oauth-audience", why))?;
        if scopes.is_empty() {
            return Err(missing("--oauth-scope", "without it, no token gives a role"));
        }
        let grants = scopes.into_iter().map(|scope| scope.grant(program));
        let grants = grants.collect::<Result<Vec<_>, Exit>>()?;
        Ok(Some(ResourceServer::new(issuer, audience, keys, grants).with_client(client)))
    }
}
