//! The authorization server: whether it is named in full, and whether it shows its keys.

use crate::oauth::OauthFlags;
use crate::program::Program;
use toolwrit_core::diagnosis::Check;

/// Nothing to say when no authorization server is named.
pub(super) fn authorization_server(program: &Program, flags: &OauthFlags) -> Option<Check> {
    let what = "oauth";
    let server = match flags.clone().resource_server(program) {
        Ok(server) => server?,
        Err(exit) => {
            let fix = "`serve --help` says what the --oauth flags mean.";
            return Some(Check::fail(what, exit.into_message(), fix));
        }
    };
    let issuer = server.issuer().as_str();
    Some(match server.count_keys() {
        Ok(0) => Check::fail(
            what,
            format!("{issuer} shows no key for signatures"),
            "Let it sign with RS256, PS256, ES256 or EdDSA, and publish the keys.",
        ),
        Ok(keys) => Check::ok(what, format!("{keys} keys of {issuer}")),
        Err(error) => Check::fail(
            what,
            error.to_string(),
            "See that it is up, and that --oauth-issuer is, letter by letter, what its metadata says.",
        ),
    })
}
