//! Logs to standard error, because standard output is for the protocol or the result.

use std::fmt::{self, Debug, Write};
use std::io::{IsTerminal, stderr};

use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use crate::environment;
use crate::output;

/// The default levels of rmcp, which logs much about each request. Its module `service` warns of every request
/// that is answered with an error, also of a missing resource, which is no fault of the server.
const QUIET: &str = "rmcp=warn,rmcp::service=error";
/// Length limit of a field, in characters. Most fields contain text from clients, issuers or notes.
const MAX_FIELD: usize = 500;

/// The variable with the level.
const VARIABLE: &str = "TOOLWRIT_LOG";

/// Starts logging. Keeps a subscriber that the author has installed.
pub(crate) fn start() {
    let wanted =
        std::env::var(&*environment::variable(VARIABLE)).unwrap_or_else(|_| "warn".to_owned());
    // The operator's own levels of rmcp replace these.
    let quiet = if wanted.contains("rmcp") { "" } else { QUIET };
    let filter = EnvFilter::try_new(format!("{quiet},{wanted}"))
        .unwrap_or_else(|_| EnvFilter::new(format!("{QUIET},warn")));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .fmt_fields(debug_fn(show).delimited(" "))
        .with_writer(stderr)
        // They would be written to standard error, too, which panics if nobody reads it any more.
        .log_internal_errors(false)
        .with_ansi(stderr().is_terminal())
        .try_init();
    // It fails if a subscriber is installed.
    drop(started);
}

/// Writes a field on one line: escapes control characters and shortens the text.
fn show(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> fmt::Result {
    if field.name() != "message" {
        write!(writer, "{}=", field.name())?;
    }
    let mut short = Short { writer, left: MAX_FIELD };
    match write!(short, "{value:?}") {
        Err(_) if short.left == 0 => writer.write_char('…'),
        result => result,
    }
}

/// Writes up to `left` characters, then fails.
struct Short<'a, 'b> {
    writer: &'a mut Writer<'b>,
    left: usize,
}

impl Write for Short<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            if output::controls_terminal(c) {
                write!(self.writer, "{}", c.escape_default())?;
            } else {
                self.writer.write_char(c)?;
            }
        }
        Ok(())
    }
}
