//! What the program says when it is started without arguments: what is here, and what to do first.

use crate::clients;
use crate::exit::Exit;
use crate::output;
use crate::program::home::shown;
use crate::program::{Program, invocation, quoted};
use toolwrit_core::toolset::Candidates;

/// Most names that are listed on a line.
const MOST_NAMES: usize = 4;

/// Prints a few lines for a user who has typed only the name of the program.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn welcome(program: &Program) -> Result<(), Exit> {
    let server = &program.tables().server;
    let title = server.title.as_ref().unwrap_or(&server.name);
    let command = invocation();
    let mut lines = vec![format!("{title} {}, for MCP clients", server.version)];
    let mut flags = String::new();
    if let Some(Candidates { flags: known, found }) = (program.candidates)() {
        let flag = known.first().copied().unwrap_or_default();
        let folder = found.first().map(|one| quoted(&one.path.to_string_lossy()));
        let describe = |one: &toolwrit_core::toolset::Candidate| {
            format!("{} ({}, {})", one.title, shown(&one.path), one.detail)
        };
        lines.push(format!(
            "  Found    {}",
            match found.len() {
                0 => format!("nothing to serve yet: name a folder with --{flag} DIR"),
                _ => listed(found.iter().map(describe)),
            }
        ));
        flags = format!(" --{flag} {}", folder.as_deref().unwrap_or("DIR"));
    }
    let present = clients::all().iter().filter(|client| client.is_present());
    let present: Vec<&str> = present.map(|client| client.name.as_str()).collect();
    let client = present.first().copied().unwrap_or("CLIENT");
    lines.push(format!(
        "  Clients  {}",
        match present.len() {
            0 => format!("none found; `{command} help install` lists those that are known"),
            _ => listed(present.iter().map(|name| (*name).to_owned())),
        }
    ));
    lines.push(format!("  Connect  {command} install {client}{flags}"));
    if program.verbs().any(|verb| verb.name == "browse") {
        lines.push(format!("  Look     {command} browse{flags}"));
    }
    lines.push(format!("  More     {command} help"));
    output::print(&lines.join("\n"))
}

fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown: Vec<String> = names.take(MOST_NAMES).collect();
    let end = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{end}", shown.join(", "))
}
