//! Checks the file of access tokens.

use std::path::Path;

use crate::commands::serve::ServeFlags;
use crate::program::Program;
use crate::program::home::shown;
use crate::program::invocation;
use toolwrit_core::diagnosis::Check;
use toolwrit_http::identity::TokenFile;

/// Checks the access tokens, and whether the address needs any.
pub(super) fn tokens(program: &Program, flags: &ServeFlags) -> Vec<Check> {
    let name = "tokens";
    let fix = format!("Create one with `{} token new --role ROLE`.", invocation());
    let is_public = flags.http.address.is_some_and(|address| !address.ip().is_loopback());
    let file = flags.state.tokens(program, flags.http.tokens.clone());
    let tokens = file.as_ref().map_or_else(|| Ok(Vec::new()), TokenFile::read);
    let (file, tokens) = match (file, tokens) {
        (_, Err(error)) => {
            return vec![Check::fail(name, error.to_string(), "Fix the file, or move it away.")];
        }
        (Some(file), Ok(tokens)) if !tokens.is_empty() => (file, tokens),
        #[cfg(feature = "oauth")]
        _ if flags.oauth.is_named() => {
            return vec![Check::ok(name, "none; the authorization server issues them")];
        }
        _ if is_public => {
            let message = "none, and the address can be reached from other machines";
            return vec![Check::fail(name, message, fix)];
        }
        (Some(file), _) if file.path().exists() => {
            let message = format!("none in {}, so all requests are refused", shown(file.path()));
            return vec![Check::warn(name, message, fix)];
        }
        _ => return vec![Check::ok(name, "none; only this machine can connect over HTTP")],
    };
    let mut checks = Vec::new();
    let known = |role: &str| program.tables().roles.iter().any(|known| known.name == role);
    checks.extend(tokens.iter().filter(|token| !known(&token.role)).map(|token| {
        let message = format!("`{}` has the unknown role `{}`", token.name, token.role);
        let fix =
            format!("Run `{} token revoke {}`, and create another.", invocation(), token.name);
        Check::fail(name, message, fix)
    }));
    let path = file.path();
    if is_readable_by_others(path) {
        let message = format!("{} can be read or changed by other users", shown(path));
        checks.push(Check::warn(name, message, format!("chmod 600 {}", path.display())));
    }
    if checks.is_empty() {
        checks.push(Check::ok(name, format!("{} in {}", tokens.len(), shown(path))));
    }
    checks
}

#[cfg(unix)]
fn is_readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
}

/// On other systems, the user's folder restricts access.
#[cfg(not(unix))]
fn is_readable_by_others(_: &Path) -> bool {
    false
}
