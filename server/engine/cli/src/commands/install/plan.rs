//! What an installation changes in one client.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::client_command;
use crate::clients::document::{Entry, Target};
use crate::clients::edit::{self, Server};
use crate::clients::launcher;
use crate::clients::ledger::{Exact, Ledger, Record, digest};
use crate::clients::replace::Seen;
use crate::clients::{Client, Scope};
use crate::exit::Exit;
use crate::output;
use crate::program::home::shown;
use crate::program::{program_name, quoted};

/// What an installation changes in one client.
pub(super) struct Plan {
    client: &'static Client,
    scope: Scope,
    name: String,
    words: Vec<String>,
    /// The command of the entry that it replaces.
    replaced: Option<Vec<String>>,
    way: Way,
}

/// How it is changed.
enum Way {
    /// The file gets this text.
    Edit { file: PathBuf, seen: Seen, text: String },
    /// A command of the client changes its file.
    Command { file: PathBuf, seen: Seen, words: Vec<String> },
    /// Nothing: the entry is there.
    Nothing { file: PathBuf },
    /// The user must do it: the entry, and why.
    Show { text: String, why: String },
}

impl Plan {
    /// Decides what to do.
    ///
    /// # Errors
    /// If the file is not valid, or has another server of this name, or the client would overwrite it.
    pub(super) fn make(
        client: &'static Client,
        scope: Scope,
        file: Option<&Path>,
        name: &str,
        words: Vec<String>,
        ledger: &Ledger,
    ) -> Result<Self, Exit> {
        let server = Server { name, words: &words };
        let own = if file.is_none() { client.file(scope, name) } else { None };
        let Some(path) = file.map(Path::to_owned).or(own) else {
            if client.has_scope(Scope::User) {
                return Err(Exit::Failed(format!("{} has no files of projects", client.title)));
            }
            let why = client.note.clone().unwrap_or_default();
            let way = Way::Show { text: entry_text(client, Path::new("mcp.json"), server)?, why };
            let name = name.to_owned();
            return Ok(Self { client, scope, name, words, replaced: None, way });
        };
        let path = std::path::absolute(&path).unwrap_or(path);
        let at = shown(&path);
        let failed = |why: &dyn std::fmt::Display| Exit::Failed(format!("{at} {why}"));
        let seen =
            Seen::read(&path).map_err(|error| failed(&format!("cannot be read: {error}")))?;
        let text = seen.bytes.clone().unwrap_or_default();
        let text = String::from_utf8(text).map_err(|_| failed(&"is not UTF-8"))?;
        let found = present(client, &path, &text, name);
        let new = edit::add(client, client.syntax(&path), &text, server);
        let new = new.map_err(|edit::Refusal(why)| failed(&why))?;
        let replaced = match found {
            None => None,
            Some(Entry { target: Target::Command(old), .. }) if is_own(&old) => Some(old),
            Some(_) => {
                return Err(failed(&format!(
                    "has another server named `{name}`; choose another --name"
                )));
            }
        };
        let is_known = ledger.find(&path, name).is_some();
        let way = if replaced.as_ref() == Some(&words) && (is_known || new == text) {
            Way::Nothing { file: path }
        } else if let Some(command) =
            own_command(client, scope, server).filter(|_| file.is_none() && replaced.is_none())
        {
            Way::Command { file: path, seen, words: command }
        } else if seen.is_read_only() {
            let why = format!("{at} is read-only. Add this to it:");
            Way::Show { text: entry_text(client, &path, server)?, why }
        } else {
            check_stopped(client)?;
            Way::Edit { file: path, seen, text: new }
        };
        Ok(Self { client, scope, name: name.to_owned(), words, replaced, way })
    }

    pub(super) fn is_changing(&self) -> bool {
        matches!(self.way, Way::Edit { .. } | Way::Command { .. })
    }

    /// What it would do, for the user.
    pub(super) fn preview(&self) -> String {
        let Self { client, name, .. } = self;
        let command = command_line(&self.words);
        let change = match &self.replaced {
            None => format!("adds `{name}`: {command}"),
            Some(old) => {
                format!("changes `{name}`: {command}\n  in place of {}", command_line(old))
            }
        };
        match &self.way {
            Way::Edit { file, .. } => format!("{}  {change}", shown(file)),
            Way::Command { file, words, .. } => {
                format!("{}  {change}\n  by `{}`", shown(file), command_line(words))
            }
            Way::Nothing { file } => format!("{}  has `{name}` already", shown(file)),
            Way::Show { text, why } => format!("{}: {why}\n\n{text}", client.title),
        }
    }

    /// Does it, after it has recorded how to undo it.
    ///
    /// # Errors
    /// If a file cannot be written, or the client's command fails.
    pub(super) fn carry_out(&self, ledger: &Ledger) -> Result<(), Exit> {
        let failed = |file: &Path, error: &dyn std::fmt::Display| {
            Exit::Failed(format!("{} was not changed: {error}", shown(file)))
        };
        match &self.way {
            Way::Edit { file, seen, text } => {
                let after = digest(text.as_bytes());
                self.record(ledger, file, seen, Some(after), false)?;
                seen.replace(Some(text.as_bytes())).map_err(|error| failed(file, &error))?;
            }
            Way::Command { file, seen, words } => {
                self.record(ledger, file, seen, None, true)?;
                client_command::run(words).map_err(|error| failed(file, &error))?;
                let now = Seen::read(file).map_err(|error| failed(file, &error))?;
                let text = String::from_utf8(now.bytes.clone().unwrap_or_default());
                let text = text.unwrap_or_default();
                if present(self.client, file, &text, &self.name).is_none() {
                    let what = format!("`{}` did not add the server", command_line(words));
                    return Err(failed(file, &what));
                }
                self.record(ledger, file, seen, Some(digest(text.as_bytes())), true)?;
            }
            Way::Nothing { .. } | Way::Show { .. } => return Ok(()),
        }
        let note = self.client.note.as_deref().unwrap_or_default();
        let done = format!("Done. Start {} again, and ask it something. {note}", self.client.title);
        output::print_message(done.trim_end());
        Ok(())
    }

    /// Records how to undo it. `after` is the digest of the new bytes, if they are known.
    fn record(
        &self,
        ledger: &Ledger,
        file: &Path,
        seen: &Seen,
        after: Option<String>,
        by_client: bool,
    ) -> Result<(), Exit> {
        let now = seen.bytes.as_deref().map(digest);
        let earlier = ledger.find(file, &self.name).filter(|_| self.replaced.is_some());
        let (before, bytes) = match earlier.map(|record| record.exact) {
            // The file is as the earlier installation left it: both are undone together.
            Some(Some(exact)) if Some(&exact.after) == now.as_ref() => (Some(exact.before), None),
            Some(_) => (None, None),
            None => (Some(now), seen.bytes.as_deref()),
        };
        let exact = before.zip(after).map(|(before, after)| Exact { before, after });
        let record = Record {
            client: self.client.name.clone(),
            server: self.name.clone(),
            scope: self.scope,
            file: file.to_owned(),
            exact,
            by_client,
        };
        ledger.add(&record, bytes).map_err(|error| {
            Exit::Failed(format!(
                "nothing was changed: cannot write {}: {error}",
                shown(ledger.folder())
            ))
        })
    }
}

/// The server of this name for the user in a text.
pub(super) fn present(client: &Client, file: &Path, text: &str, name: &str) -> Option<Entry> {
    let document: Value = client.syntax(file).parse(text).ok()?;
    let mut entries = client.entries(&document).into_iter();
    entries.find(|entry| entry.name == name && entry.project.is_none())
}

/// Whether a command starts this program: its file, or a package of its name.
pub(crate) fn is_own(words: &[String]) -> bool {
    let program = Path::new(words.first().map_or("", String::as_str));
    let stem = |path: &Path| path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    if stem(program).as_deref() == Some(program_name()) {
        return true;
    }
    let starts_packages = ["npx", "uvx", "cmd"].map(|name| Some(name.to_owned()));
    let package = |word: &String| word.split('@').next() == Some(program_name());
    starts_packages.contains(&stem(program)) && words.iter().skip(1).take(3).any(package)
}

/// The client's own command that adds the server, if it has one for this scope and is in `PATH`.
fn own_command(client: &Client, scope: Scope, server: Server<'_>) -> Option<Vec<String>> {
    let has_scope = client.add.iter().any(|word| word == "{scope}");
    if scope == Scope::Project && !has_scope {
        return None;
    }
    launcher::find_program(client.add.first()?)?;
    Some(client_command::filled(&client.add, scope, server, client.shape))
}

/// Refuses to change the file of a client that would overwrite it.
pub(super) fn check_stopped(client: &Client) -> Result<(), Exit> {
    match client.running.as_deref().filter(|name| client_command::is_running(name)) {
        None => Ok(()),
        Some(_) => Err(Exit::Failed(format!(
            "{0} is running, and would overwrite the change; quit {0} and try again",
            client.title
        ))),
    }
}

/// The entry as it would stand in an empty file.
fn entry_text(client: &Client, file: &Path, server: Server<'_>) -> Result<String, Exit> {
    edit::add(client, client.syntax(file), "", server)
        .map_err(|edit::Refusal(why)| Exit::Failed(format!("the entry {why}")))
}

/// Words as a shell takes them, with the home folder shortened where no quotes are needed.
fn command_line(words: &[String]) -> String {
    let word = |word: &String| {
        let short = shown(Path::new(word));
        if quoted(word) == *word { short } else { quoted(word) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
