//! Checks the authorization server: whether its flags are complete, and whether its keys can be fetched.

use crate::flags::oauth::OauthFlags;
use crate::program::Program;
use toolwrit_core::diagnosis::Check;

/// Checks the authorization server. `None` if no flag names one.
pub(super) fn authorization_server(program: &Program, flags: &OauthFlags) -> Option<Check> {
    let name = "oauth";
    let server = match flags.clone().resource_server(program) {
        Ok(server) => server?,
        Err(exit) => {
            let fix = "`serve --help` explains the --oauth flags.";
            return Some(Check::fail(name, exit.into_message(), fix));
        }
    };
    let issuer = server.issuer().as_str();
    Some(match server.count_keys() {
        Ok(0) => Check::fail(
            name,
            format!("{issuer} publishes no usable key"),
            "Configure it to sign with RS256, PS256, ES256 or EdDSA, and to publish the keys.",
        ),
        Ok(keys) => Check::ok(name, format!("{keys} keys of {issuer}")),
        Err(error) => Check::fail(
            name,
            error.to_string(),
            "Check that it is running, and that --oauth-issuer equals the `issuer` in its metadata exactly.",
        ),
    })
}
