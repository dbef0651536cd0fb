//! `upstream approve`: shows all of what an upstream has, and writes its lock file. What is written is what was shown.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, stdin};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::lines::quoted_name;
use super::{Chosen, cannot_write, changes, pager, shown};
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, invocation};
use toolwrit_core::authority::Effect;
use toolwrit_gateway::upstreams::{Adopted, Approval, Examination, Lock, Tool, annotated_effect};
use toolwrit_text::nearest;
use toolwrit_text::wildcard::matches;

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Name of the upstream.
    #[arg(required_unless_present = "all")]
    pub(super) name: Option<String>,
    /// Approve only these tools: names, in which `*` stands for any text. Others stay as they are.
    #[arg(value_name = "TOOL")]
    tools: Vec<String>,
    /// Approve all upstreams that are enabled.
    #[arg(long, conflicts_with_all = ["name", "expect"])]
    all: bool,
    /// Do not approve these tools.
    #[arg(long, value_name = "TOOL", num_args = 1..)]
    except: Vec<String>,
    /// Keep what the tools may do with the approval: as their annotations say, or as you say when asked.
    #[arg(long, value_name = "SOURCE")]
    effects: Option<Effects>,
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

/// Who says what tools may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Effects {
    Annotations,
    Ask,
}

fn digest(text: &str) -> Result<String, String> {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest.then(|| text.to_ascii_lowercase()).ok_or_else(|| {
        "expected the 64 hexadecimal digits that `upstream approve` prints".to_owned()
    })
}

/// Approves upstreams as they are now.
pub(super) fn approve(program: &Program, flags: &Flags) -> Result<(), Exit> {
    let Some(name) = &flags.name else { return approve_all(program, flags) };
    let shown = approve_one(program, name, flags)?;
    shown.map_or(Ok(()), |shown| output::print_json(&shown))
}

/// Approves all upstreams that are enabled. One that cannot be used hinders no other one.
fn approve_all(program: &Program, flags: &Flags) -> Result<(), Exit> {
    let enabled = program.config.upstreams().iter().filter(|upstream| upstream.is_enabled);
    let (mut shown, mut failed) = (Vec::new(), Vec::new());
    for upstream in enabled {
        match approve_one(program, &upstream.name, flags) {
            Ok(one) => shown.extend(one),
            Err(exit) => failed.push(format!("{}: {}", upstream.name, exit.into_message())),
        }
    }
    if flags.json {
        output::print_json(&json!({ "upstreams": shown, "failed": failed }))?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Exit::Failed(failed.join("\n"))) }
}

/// Approves an upstream as it is now. Returns what is to be printed as JSON.
fn approve_one(program: &Program, name: &str, flags: &Flags) -> Result<Option<Value>, Exit> {
    let chosen = Chosen::find(program, name)?;
    let before = chosen.approvals.approval(chosen.settings);
    if let Approval::Broken(why) = &before {
        output::print_warning(why);
    }
    let found = chosen.examine()?;
    let whole = found.lock();
    expected(name, flags.expect.as_deref(), &whole)?;
    let mut wanted = named(&found, flags)?;
    let is_new = before.lock().is_none_or(|before| differs(before, &found));
    let is_needed = is_new || flags.effects.is_some();
    if flags.json {
        if is_needed && flags.yes {
            let lock = whole
                .clone()
                .selecting(before.lock().map(|lock| &**lock), |tool| wanted.contains(tool));
            write(program, &chosen, with_effects(lock, &found, &wanted, flags)?)?;
        }
        return Ok(Some(as_json(&chosen, &found, &whole, !is_needed || flags.yes)));
    }
    if !is_needed {
        output::print_message("The tools are as approved before.");
        return Ok(None);
    }
    let shown = match before.lock() {
        Some(before) => changes::changes(chosen.settings, before, &found, &found.verdict(before)),
        None => changes::all(chosen.settings, &found),
    };
    let shown = format!("{shown}\nDigest: {}\n", whole.digest());
    if flags.yes {
        output::print(&shown)?;
    } else {
        pager::page(&shown)?;
        ask(name, &found, &mut wanted)?;
    }
    let lock = whole.selecting(before.lock().map(|lock| &**lock), |tool| wanted.contains(tool));
    write(program, &chosen, with_effects(lock, &found, &wanted, flags)?)?;
    Ok(None)
}

/// The names of the tools that the flags select.
fn named(found: &Examination, flags: &Flags) -> Result<BTreeSet<String>, Exit> {
    let names = || found.tools.tools().iter().map(Tool::name);
    let fits = |patterns: &[String], name: &str| patterns.iter().any(|one| matches(one, name));
    for pattern in flags.tools.iter().chain(&flags.except) {
        if !names().any(|name| matches(pattern, name)) && !flags.all {
            let close = nearest::closest(pattern, names());
            let hint = close.first().map(|name| format!("; did you mean `{name}`?"));
            let hint = hint.unwrap_or_default();
            return Err(Exit::Failed(format!(
                "nothing was approved: the upstream has no tool `{pattern}`{hint}"
            )));
        }
    }
    let wanted = names().filter(|name| {
        (flags.tools.is_empty() || fits(&flags.tools, name)) && !fits(&flags.except, name)
    });
    Ok(wanted.map(str::to_owned).collect())
}

/// Adds what the tools may do, as the flags say.
fn with_effects(
    mut lock: Lock,
    found: &Examination,
    wanted: &BTreeSet<String>,
    flags: &Flags,
) -> Result<Lock, Exit> {
    for tool in found.tools.tools().iter().filter(|tool| wanted.contains(tool.name())) {
        let said = annotated_effect(tool);
        let (effect, from) = match flags.effects {
            None => return Ok(lock),
            Some(Effects::Annotations) => (said, Adopted::Annotations),
            Some(Effects::Ask) => (ask_effect(tool.name(), said)?, Adopted::Operator),
        };
        if let Some(effect) = effect {
            lock.adopt(tool.name(), effect, from);
        }
    }
    Ok(lock)
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
        || before.server().instructions != found.server.instructions
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

/// Asks which of the tools to approve.
fn ask(name: &str, found: &Examination, wanted: &mut BTreeSet<String>) -> Result<(), Exit> {
    if !stdin().is_terminal() {
        return Err(Exit::Failed(format!(
            "nothing was approved, because there is no terminal to ask on; pass --yes to approve {name} as shown"
        )));
    }
    match answer("Approve this? [y/N], or r for what only reads, s to select").as_str() {
        "y" | "yes" | "a" | "all" => {}
        "r" | "reads" => {
            let reads = |tool: &&Tool| annotated_effect(tool) == Some(Effect::Read);
            let reads = found.tools.tools().iter().filter(reads).map(Tool::name);
            let reads: BTreeSet<&str> = reads.collect();
            wanted.retain(|tool| reads.contains(tool.as_str()));
        }
        "s" | "select" => wanted.retain(|tool| {
            matches!(answer(&format!("Approve {}? [y/N]", quoted_name(tool))).as_str(), "y" | "yes")
        }),
        _ => wanted.clear(),
    }
    if wanted.is_empty() { Err(Exit::Failed("nothing was approved".to_owned())) } else { Ok(()) }
}

/// Asks what a tool may do; `None` if the user does not say.
fn ask_effect(tool: &str, said: Option<Effect>) -> Result<Option<Effect>, Exit> {
    if !stdin().is_terminal() {
        let what = "nothing was approved, because there is no terminal to ask on; --effects annotations asks nothing";
        return Err(Exit::Failed(what.to_owned()));
    }
    let said = said.map(|effect| format!(" Its annotations say {}.", effect.as_str()));
    let question = format!(
        "What may {} do? [r]ead, [w]rite, [d]estroy, or nothing to leave it open.{}",
        quoted_name(tool),
        said.unwrap_or_default()
    );
    Ok(match answer(&question).as_str() {
        "r" | "read" => Some(Effect::Read),
        "w" | "write" => Some(Effect::Write),
        "d" | "destroy" => Some(Effect::Destroy),
        _ => None,
    })
}

/// The answer of the user, in small letters; empty at the end of the input.
fn answer(question: &str) -> String {
    output::ask(question);
    let mut answer = String::new();
    // What cannot be read is no answer.
    let _ = stdin().read_line(&mut answer);
    answer.trim().to_lowercase()
}
