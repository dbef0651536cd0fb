//! Logs go to standard error, as standard output belongs to the protocol or to the result.

use std::fmt::{self, Debug, Write};
use std::io::{IsTerminal, stderr};

use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use super::output;

/// The SDK tells much about each request, and speaks up only when it is asked for by name.
const QUIET: &str = "rmcp=warn";
/// Longest text of a field, in characters: most of it is what clients, issuers and notes say.
const LONGEST: usize = 500;

/// Starts logging, at the level that `TOOLWRIT_LOG` asks for. A subscriber that the author has set stays.
pub(super) fn start() {
    let wanted = std::env::var("TOOLWRIT_LOG").unwrap_or_else(|_| "warn".to_owned());
    let filter = EnvFilter::try_new(format!("{QUIET},{wanted}"))
        .unwrap_or_else(|_| EnvFilter::new(format!("{QUIET},warn")));
    let started = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .fmt_fields(debug_fn(show).delimited(" "))
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .try_init();
    // It fails where there is a subscriber.
    drop(started);
}

/// Writes a field on one line, with any text.
fn show(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> fmt::Result {
    if field.name() != "message" {
        write!(writer, "{}=", field.name())?;
    }
    let mut short = Short { writer, left: LONGEST };
    match write!(short, "{value:?}") {
        Err(_) if short.left == 0 => writer.write_char('…'),
        result => result,
    }
}

/// Takes so many characters, and fails at the next.
struct Short<'a, 'b> {
    writer: &'a mut Writer<'b>,
    left: usize,
}

impl Write for Short<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            if output::commands(c) {
                write!(self.writer, "{}", c.escape_default())?;
            } else {
                self.writer.write_char(c)?;
            }
        }
        Ok(())
    }
}
