//! What an uninstallation changes in one file.

use std::path::{Path, PathBuf};

use super::client_command;
use super::plan::{check_stopped, present};
use crate::clients::edit::{self, Server};
use crate::clients::launcher;
use crate::clients::ledger::{Ledger, Record, digest};
use crate::clients::replace::Seen;
use crate::clients::{Client, Scope, Shape};
use crate::exit::Exit;
use crate::output;
use crate::program::home::shown;

/// What an uninstallation changes in one file.
pub(super) struct Removal {
    client: &'static Client,
    name: String,
    file: PathBuf,
    seen: Seen,
    record: Option<Record>,
    way: Way,
}

/// How it is changed.
enum Way {
    /// The file gets the bytes that it had before it was installed; `None` for no file.
    Restore(Option<Vec<u8>>),
    /// The file has changed since, or is not known: only the entry goes.
    Edit(String),
    /// A command of the client changes its file.
    Command(Vec<String>),
    /// Nothing: the entry is gone.
    Nothing,
}

impl Removal {
    /// Decides what to do with a server in a file.
    ///
    /// # Errors
    /// If the file is not valid, or the client would overwrite it.
    pub(super) fn make(
        client: &'static Client,
        scope: Scope,
        file: &Path,
        name: &str,
        ledger: &Ledger,
    ) -> Result<Self, Exit> {
        let at = shown(file);
        let failed = |why: &dyn std::fmt::Display| Exit::Failed(format!("{at} {why}"));
        let seen = Seen::read(file).map_err(|error| failed(&format!("cannot be read: {error}")))?;
        let record = ledger.find(file, name);
        let exact = record.as_ref().and_then(|record| record.exact.as_ref());
        let now = seen.bytes.as_deref().map(digest);
        let command = record.as_ref().filter(|record| record.by_client);
        let command = command.and_then(|_| own_command(client, scope, name));
        let text = String::from_utf8(seen.bytes.clone().unwrap_or_default());
        let text = text.map_err(|_| failed(&"is not UTF-8"))?;
        let is_there = present(client, file, &text, name).is_some();
        let is_untouched = exact.is_some_and(|exact| Some(&exact.after) == now.as_ref());
        let before = record.as_ref().and_then(|record| ledger.bytes_before(record));
        let had_none = exact.is_some_and(|exact| exact.before.is_none());
        let way = match command {
            Some(words) if is_there => Way::Command(words),
            // The file is the server's own.
            _ if client.shape == Shape::Continue && is_there => Way::Restore(None),
            _ if is_untouched && (had_none || before.is_some()) => Way::Restore(before),
            _ if exact.is_some_and(|exact| exact.before == now) => Way::Nothing,
            _ => {
                let edited = edit::remove(client, client.syntax(file), &text, name);
                let edited = edited.map_err(|edit::Refusal(why)| failed(&why))?;
                if is_there { Way::Edit(edited) } else { Way::Nothing }
            }
        };
        if matches!(way, Way::Edit(_) | Way::Restore(_)) {
            check_stopped(client)?;
            if seen.is_read_only() {
                return Err(failed(&format!("is read-only; remove `{name}` from it")));
            }
        }
        Ok(Self { client, name: name.to_owned(), file: file.to_owned(), seen, record, way })
    }

    /// Whether the file gets its old bytes.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.way, Way::Restore(_))
    }

    /// What it would do, for the user.
    pub(super) fn preview(&self) -> String {
        let (file, name) = (shown(&self.file), &self.name);
        match &self.way {
            Way::Restore(None) => format!("{file}  is deleted, because `install` created it"),
            Way::Restore(Some(_)) => format!("{file}  gets the bytes that it had before `install`"),
            Way::Edit(_) if self.record.is_some() => {
                format!("{file}  has changed since `install`, so only `{name}` is removed")
            }
            Way::Edit(_) => format!("{file}  loses `{name}`"),
            Way::Command(words) => format!("{file}  loses `{name}`\n  by `{}`", words.join(" ")),
            Way::Nothing => format!("{file}  does not have `{name}`"),
        }
    }

    /// Does it, and forgets the record.
    ///
    /// # Errors
    /// If a file cannot be written, or the client's command fails.
    pub(super) fn carry_out(&self, ledger: &Ledger) -> Result<(), Exit> {
        let file = shown(&self.file);
        let failed = |error: &dyn std::fmt::Display| {
            Exit::Failed(format!("{file} was not changed: {error}"))
        };
        match &self.way {
            Way::Restore(bytes) => {
                self.seen.replace(bytes.as_deref()).map_err(|error| failed(&error))?;
            }
            Way::Edit(text) => {
                self.seen.replace(Some(text.as_bytes())).map_err(|error| failed(&error))?;
            }
            Way::Command(words) => client_command::run(words).map_err(|error| failed(&error))?,
            Way::Nothing => {}
        }
        if let Some(record) = &self.record {
            ledger.remove(record).map_err(|error| {
                Exit::Failed(format!(
                    "cannot remove the record in {}: {error}",
                    shown(ledger.folder())
                ))
            })?;
        }
        output::print_message(&format!("{} no longer starts `{}`.", self.client.title, self.name));
        Ok(())
    }
}

fn own_command(client: &Client, scope: Scope, name: &str) -> Option<Vec<String>> {
    launcher::find_program(client.remove.first()?)?;
    let server = Server { name, words: &[] };
    Some(client_command::filled(&client.remove, scope, server, client.shape))
}
