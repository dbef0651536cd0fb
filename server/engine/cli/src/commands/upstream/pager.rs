//! Long texts in the pager of the user.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use crate::exit::Exit;
use crate::output;

/// Prints through the program that `PAGER` names, if standard output is a terminal.
///
/// # Errors
/// As [`output::print`].
pub(super) fn page(text: &str) -> Result<(), Exit> {
    match std::env::var("PAGER").ok().and_then(|pager| shlex::split(&pager)) {
        Some(words) if io::stdout().is_terminal() && paged(&words, text).is_ok() => Ok(()),
        _ => output::print(text),
    }
}

/// Shows a text in a pager, and waits until the user closes it, maybe before its end.
fn paged(words: &[String], text: &str) -> io::Result<()> {
    let (program, arguments) = words.split_first().ok_or(ErrorKind::NotFound)?;
    let mut pager = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = pager.stdin.take()
        && let Err(error) = input.write_all(text.as_bytes())
        && error.kind() != ErrorKind::BrokenPipe
    {
        return Err(error);
    }
    pager.wait().map(drop)
}
