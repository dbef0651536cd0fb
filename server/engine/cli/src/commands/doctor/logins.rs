//! The logins of the user to upstreams: whether they are valid, for how long, and private.

use jiff::Timestamp;

use crate::program::{Program, invocation};
use toolwrit_core::diagnosis::Check;
use toolwrit_gateway::login::{LoginState, LoginTarget};

pub(super) fn logins(program: &Program) -> Vec<Check> {
    let enabled = program.config.upstreams().iter().filter(|upstream| upstream.is_enabled);
    let check = |name: &str, target: Result<LoginTarget, String>| {
        let what = format!("login {name}");
        match target.and_then(|target| target.state()) {
            Ok(state) => check(what, name, state),
            Err(why) => Check::fail(what, why, log_in(name)),
        }
    };
    enabled
        .filter_map(|upstream| Some(check(&upstream.name, upstream.login_target().transpose()?)))
        .collect()
}

fn log_in(name: &str) -> String {
    format!("`{} upstream login {name}` logs in.", invocation())
}

fn check(what: String, name: &str, state: Option<LoginState>) -> Check {
    let Some(state) = state else { return Check::fail(what, "nobody has logged in", log_in(name)) };
    let now = Timestamp::now();
    let is_over = |at: Timestamp| at <= now;
    let secret = state.secret_expires_at.and_then(time);
    let access = state.expires_at.and_then(time);
    let until = access.map(|at| format!(" until {at}")).unwrap_or_default();
    if !state.is_usable {
        return Check::fail(what, "the login has ended", log_in(name));
    }
    if secret.is_some_and(is_over) {
        let message = "the secret of the client has expired, so the login cannot be renewed";
        return Check::fail(what, message, format!("{} It registers a new client.", log_in(name)));
    }
    if state.is_exposed {
        let fix = format!("{} Both are then private again.", log_in(name));
        return Check::fail(what, "its file or folder is open to other users", fix);
    }
    if !state.is_renewable {
        let fix = format!(
            "`{} upstream login {name} --scope offline_access` asks for a refresh token, if the server issues any.",
            invocation()
        );
        return Check::warn(what, format!("valid{until}, and cannot be renewed"), fix);
    }
    match secret {
        Some(at) => Check::ok(
            what,
            format!("valid, and renewed until the secret of the client expires at {at}"),
        ),
        None => Check::ok(what, format!("valid{until}, and then renewed")),
    }
}

fn time(seconds: u64) -> Option<Timestamp> {
    Timestamp::from_second(seconds.try_into().ok()?).ok()
}
