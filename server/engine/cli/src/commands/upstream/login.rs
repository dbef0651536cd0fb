//! `upstream login` and `upstream logout`.

use std::io::{self, BufRead as _};
use std::time::Duration;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use super::Chosen;
use crate::exit::Exit;
use crate::output;
use crate::output::log;
use crate::program::{Program, in_runtime, invocation};
use toolwrit_gateway::login::{LoggedIn, LoggedOut, LoginOptions, LoginTarget, PendingLogin};

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    name: String,
    /// Print the address, and open no browser.
    #[arg(long)]
    no_browser: bool,
    /// Scopes to ask for, beside those that were granted before.
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
    /// Id of a client without a secret that is registered there, if the server registers none.
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// How long to wait for the login.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = timeout)]
    timeout: Duration,
}

fn timeout(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<SignedDuration>().ok();
    let time = parsed.and_then(|time| Duration::try_from(time).ok()).filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a time such as 90s or 5m".to_owned())
}

/// Lets the user log in to an upstream.
pub(super) fn log_in(program: &Program, flags: &Flags) -> Result<(), Exit> {
    log::start();
    let target = target(program, &flags.name)?;
    let failed =
        |why: String| Exit::Failed(format!("nobody is logged in to {}: {why}", flags.name));
    let options = LoginOptions { scope: flags.scope.clone(), client_id: flags.client_id.clone() };
    let done = in_runtime(2, async {
        let pending = target.log_in(&options).await.map_err(failed)?;
        show(&target, &pending, flags);
        let say = |text: &str| output::print_message(text);
        pending.finish(pasted(), flags.timeout, say).await.map_err(failed)
    })?;
    announce(&flags.name, &done);
    Ok(())
}

/// Ends a login.
pub(super) fn log_out(program: &Program, name: &str) -> Result<(), Exit> {
    log::start();
    end(&target(program, name)?, name)
}

/// Revokes and deletes the tokens of a login, if there is one.
pub(super) fn end(target: &LoginTarget, name: &str) -> Result<(), Exit> {
    let done = in_runtime(2, async { target.log_out().await.map_err(Exit::Failed) })?;
    match done {
        LoggedOut::NotLoggedIn => {
            output::print_message(&format!("Nobody was logged in to {name}."));
        }
        LoggedOut::Revoked => output::print_message(&format!(
            "Logged out of {name}. The server has revoked the tokens, and they are deleted here."
        )),
        LoggedOut::NotRevoked(why) => {
            output::print_message(&format!("Logged out of {name}. The tokens are deleted here."));
            output::print_warning(&format!("the server may know them until they expire: {why}"));
        }
    }
    Ok(())
}

fn target(program: &Program, name: &str) -> Result<LoginTarget, Exit> {
    let chosen = Chosen::find(program, name)?;
    let target = chosen.settings.login_target().map_err(Exit::Configuration)?;
    target.ok_or_else(|| {
        Exit::Configuration(format!("[upstreams.{name}] has no login; add `login = true` to it"))
    })
}

/// Shows who asks and where the user logs in, and opens the page.
fn show(target: &LoginTarget, pending: &PendingLogin, flags: &Flags) {
    let (server, page) = (target.host(), pending.address.host_str().unwrap_or_default());
    output::print_message(&format!(
        "Logging in to {} at {server}. The page of {page} asks for your consent.",
        flags.name
    ));
    let opens = !flags.no_browser && open::that_detached(pending.address.as_str()).is_ok();
    let what = if opens { "The browser opens this address" } else { "Open this address" };
    output::print_message(&format!("{what}:\n\n{}\n", pending.address));
    output::print_message(
        "If the browser runs on another machine, paste the address of the page here that it cannot open at the end.",
    );
}

/// The lines on standard input. A thread reads them that ends with the process, because nothing interrupts it.
fn pasted() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let lines = io::stdin().lock().lines().map_while(Result::ok);
        // Until the login has ended.
        lines.filter(|line| !line.trim().is_empty()).all(|line| sender.blocking_send(line).is_ok())
    });
    lines
}

fn announce(name: &str, done: &LoggedIn) {
    let scopes = match &*done.scopes.join(" ") {
        "" => String::new(),
        scopes => format!(" for {scopes}"),
    };
    output::print_message(&format!("Logged in to {name}{scopes}."));
    let until = done.expires_at.and_then(|at| Timestamp::from_second(at.try_into().ok()?).ok());
    match until {
        Some(until) if !done.is_renewable => output::print_warning(&format!(
            "the login ends at {until}, because the server issued no refresh token; `{} upstream login {name} --scope \
             offline_access` may ask for one",
            invocation()
        )),
        _ => {}
    }
}
