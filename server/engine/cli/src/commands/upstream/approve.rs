//! `upstream approve`: shows all of what an upstream has, and writes its lock file. What is written is what was shown.

use std::io::{IsTerminal as _, stdin};

use clap::Args;
use serde_json::{Value, json};

use super::{Chosen, cannot_write, changes, pager, shown};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, invocation};
use toolwrit_gateway::upstreams::{Approval, Examination, Lock};

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    name: String,
    /// Approve without asking.
    #[arg(long)]
    yes: bool,
    /// Approve only what has this digest, which was printed when it was shown.
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    expect: Option<String>,
    /// Print what would be approved as JSON, with its digest. Approves nothing without --yes.
    #[arg(long)]
    json: bool,
}

fn digest(text: &str) -> Result<String, String> {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| text.to_ascii_lowercase()).ok_or_else(|| {
        "expected the 64 hexadecimal digits that `upstream approve` prints".to_owned()
    })
}

/// Approves an upstream as it is now.
pub(super) fn approve(program: &Program, flags: &Flags) -> Result<(), Exit> {
    let chosen = Chosen::find(program, &flags.name)?;
    let before = chosen.approvals.approval(chosen.settings);
    if let Approval::Broken(why) = &before {
        output::print_warning(why);
    }
    let found = chosen.examine()?;
    let lock = found.lock();
    expected(&flags.name, flags.expect.as_deref(), &lock)?;
    let is_new = before.lock().is_none_or(|before| differs(before, &found));
    if flags.json {
        if is_new && flags.yes {
            write(program, &chosen, lock.clone())?;
        }
        return output::print_json(&as_json(&chosen, &found, &lock, !is_new || flags.yes));
    }
    if !is_new {
        output::print_message("The tools are as approved before.");
        return Ok(());
    }
    let shown = match before.lock() {
        Some(before) => changes::changes(chosen.settings, before, &found, &found.verdict(before)),
        None => changes::all(chosen.settings, &found),
    };
    let shown = format!("{shown}\nDigest: {}\n", lock.digest());
    if flags.yes {
        output::print(&shown)?;
    } else {
        pager::page(&shown)?;
        ask(&flags.name)?;
    }
    write(program, &chosen, lock)
}

/// Refuses what is not what someone has seen.
fn expected(name: &str, expected: Option<&str>, lock: &Lock) -> Result<(), Exit> {
    let found = lock.digest();
    match expected {
        Some(expected) if expected != found => Err(Exit::Failed(format!(
            "nothing was approved: {name} has the digest {found} now, and --expect is {expected}; its tools, the server or its \
             place have changed since they were shown. `{} upstream approve {name}` shows them",
            invocation()
        ))),
        _ => Ok(()),
    }
}

/// Whether there is anything to approve.
fn differs(before: &Lock, found: &Examination) -> bool {
    !found.verdict(before).is_clean()
        || before.server().capabilities != found.server.capabilities
        || before.location() != Some(&found.location)
}

fn as_json(chosen: &Chosen<'_>, found: &Examination, lock: &Lock, is_approved: bool) -> Value {
    let mut shown = shown::json(chosen.settings, found);
    shown["upstream"] = chosen.settings.name.as_str().into();
    shown["digest"] = lock.digest().into();
    shown["place"] = json!(found.location);
    shown["approved"] = is_approved.into();
    shown
}

fn write(program: &Program, chosen: &Chosen<'_>, lock: Lock) -> Result<(), Exit> {
    let (name, approvals) = (&chosen.settings.name, &chosen.approvals);
    let (tools, file) = (lock.names().count(), approvals.lock_file(name));
    approvals.approve(name, lock).map_err(|error| cannot_write(&error))?;
    output::print_message(&format!("Approved {tools} tools of {name} in {}.", file.display()));
    consequences(program, name);
    Ok(())
}

/// Says which approved tools are not offered, and which must be confirmed because nothing says what they do.
fn consequences(program: &Program, name: &str) {
    let (authority, refused) = program.upstreams.approved(program.authority.clone());
    for refused in refused.iter().filter(|refused| refused.upstream == name) {
        output::print_message(&format!("Not offered: {refused}."));
    }
    let is_own = |id: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let operations = authority.tables().operations.iter();
    let assumed =
        operations.filter(|operation| operation.is_assumed && is_own(&operation.id)).count();
    if assumed > 0 {
        output::print_message(&format!(
            "Nothing says what {assumed} of them do, so each of their calls must be confirmed. `effects` or \
             `trust_annotations` in [upstreams.{name}] says it."
        ));
    }
}

fn ask(name: &str) -> Result<(), Exit> {
    if !stdin().is_terminal() {
        return Err(Exit::Failed(format!(
            "nothing was approved, because there is no terminal to ask on; pass --yes to approve {name} as shown"
        )));
    }
    output::ask("Approve this? [y/N]");
    let mut answer = String::new();
    let was_read = stdin().read_line(&mut answer).is_ok();
    if was_read && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Ok(());
    }
    Err(Exit::Failed("nothing was approved".to_owned()))
}
