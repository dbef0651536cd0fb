//! `vault.task`: the status of a task.

use jiff::Zoned;
use jiff::civil::Date;
use toolwrit::{Fault, Result};
use toolwrit_plugins::tasks::{Completion, NewStatus, TaskSettings};
use toolwrit_vault::target::{BlockId, TaskTarget};
use toolwrit_vault::{ChangeMode, Etag, Vault, VaultError, VaultPath};

use crate::faults::fault;
use crate::handlers::sizes::{to_integer, to_size};
use crate::operations::{types, vault};

/// Gives a task another status.
pub(super) fn task(vault: &Vault, p: &vault::Task) -> Result<types::TaskChanged> {
    let path = VaultPath::parse(&p.path).map_err(|error| fault(error.into()))?;
    let target = parse_target(p, &path)?;
    let settings = TaskSettings::read(vault);
    let settings = settings.map_err(|problem| fault(VaultError::Settings { problem }))?;
    let date = p.date.as_deref().map(str::parse).transpose().map_err(|_| {
        Fault::validation("`date` is not a valid date.")
            .with_path("/date")
            .expecting("a day of the calendar")
    })?;
    let status = parse_status(&p.status)?;
    let change = Completion { settings, status, date, today: today() };
    let mode = if p.dry_run { ChangeMode::Preview } else { ChangeMode::Change };
    let if_match = p.if_match.as_deref().map(Etag::from);
    let changed = vault.change_task(&path, &target, change, mode, if_match.as_ref());
    let changed = changed.map_err(fault)?;
    Ok(types::TaskChanged {
        path: changed.path.to_string(),
        line: to_integer(changed.line),
        before: changed.before,
        after: changed.after,
        added: changed.added,
        undo: None,
        etag: (!p.dry_run).then(|| changed.etag.to_string()),
    })
}

/// The day in the user's time zone.
pub(super) fn today() -> Date {
    Zoned::now().date()
}

/// The task that a call names.
fn parse_target(p: &vault::Task, path: &VaultPath) -> Result<TaskTarget> {
    match (p.line, &p.block, &p.text) {
        (Some(line), None, None) => Ok(TaskTarget::Line(to_size(line))),
        (None, Some(id), None) => BlockId::parse(id).map(TaskTarget::Block).map_err(|reason| {
            fault(VaultError::NoSuchPart { path: path.clone(), reason }).with_path("/block")
        }),
        (None, None, Some(text)) => Ok(TaskTarget::Text(text.clone())),
        _ => {
            let message = "A task is named by one of `line`, `block` and `text`.";
            Err(Fault::validation(message).expecting("line, block or text"))
        }
    }
}

fn parse_status(status: &str) -> Result<NewStatus> {
    let mut characters = status.chars();
    match (status, characters.next(), characters.next()) {
        ("toggle", ..) => Ok(NewStatus::Toggled),
        ("done", ..) => Ok(NewStatus::Done),
        ("todo", ..) => Ok(NewStatus::Todo),
        (_, Some(symbol), None) => Ok(NewStatus::Symbol(symbol)),
        _ => Err(Fault::validation("A status is one character.").with_path("/status")),
    }
}
