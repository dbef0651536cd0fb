//! Output of commands. A closed pipe is not an error. Colours are written to terminals only.

pub(crate) mod log;
pub(crate) mod render;
pub(crate) mod table;

use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

use crate::exit::Exit;

const STRONG: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const DANGER: Style = AnsiColor::Red.on_default();

/// Prints to standard output, and adds a final newline if there is none.
///
/// # Errors
/// If the output cannot be written, except to a closed pipe.
pub(super) fn print(text: &str) -> Result<(), Exit> {
    let mut out = io::stdout().lock();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(end.as_bytes()))
        .and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Exit::Failed(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a value as one line of JSON.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Exit> {
    let text = serde_json::to_string(value);
    print_json_text(
        &text.map_err(|error| Exit::Failed(format!("the output is not JSON: {error}")))?,
    )
}

/// Prints one line of JSON. Escapes terminal control characters, which occur only inside strings.
fn print_json_text(text: &str) -> Result<(), Exit> {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if controls_terminal(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    print(&escaped)
}

/// Prints a message for the user on standard error.
pub(super) fn print_message(text: &str) {
    eprint_line(&sanitized(text));
}

fn eprint_line(text: &str) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Prints a question on standard error, without a newline.
pub(super) fn ask(question: &str) {
    let mut out = io::stderr();
    let _ = write!(out, "{} ", sanitized(question)).and_then(|()| out.flush());
}

/// Asks a question on standard error, and returns what the user writes, without blanks. Empty at the end of the input.
#[cfg(feature = "clients")]
pub(super) fn answer(question: &str) -> String {
    ask(question);
    let mut answer = String::new();
    let _ = io::stdin().read_line(&mut answer);
    answer.trim().to_owned()
}

/// Whether the user answers a question with yes.
#[cfg(feature = "clients")]
pub(super) fn agrees(question: &str) -> bool {
    matches!(answer(&format!("{question} [y/N]")).to_lowercase().as_str(), "y" | "yes")
}

pub(super) fn print_error(code: Option<&str>, text: &str) {
    let label = code.map_or_else(|| "error".to_owned(), |code| format!("error[{code}]"));
    eprint_line(&format!("{}: {}", paint(&io::stderr(), ERROR, &label), sanitized(text)));
}

/// Prints a warning: about something valid that is probably a mistake, or will become one.
pub(super) fn print_warning(text: &str) {
    eprint_line(&format!("{}: {}", paint(&io::stderr(), WARNING, "warning"), sanitized(text)));
}

/// Text in bold, if standard output is a terminal.
pub(super) fn strong(text: &str) -> String {
    paint(&io::stdout(), STRONG, text)
}

/// Text in the colour of what destroys, if standard output is a terminal.
pub(super) fn danger(text: &str) -> String {
    paint(&io::stdout(), DANGER, text)
}

/// The width of the output in columns: `COLUMNS`, or that of the terminal on standard output. `None` if
/// neither is known; lines are then as long as their text.
pub(super) fn width() -> Option<u16> {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let named = named.filter(|width| *width > 0);
    named.or_else(|| terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0))
}

/// Text that is printed unchanged, such as a note, unless standard output is a terminal.
pub(super) fn content(text: &str) -> String {
    if io::stdout().is_terminal() { sanitized(text) } else { text.to_owned() }
}

/// Escapes characters that control a terminal or change the direction of text. Also used without a terminal,
/// because the reader of the output may show it on one.
pub(super) fn sanitized(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            c if controls_terminal(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Escapes line ends, too: a name that others chose must not begin a line of its own.
#[cfg(feature = "chat")]
pub(super) fn on_one_line(text: &str) -> String {
    sanitized(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Whether a character controls the terminal: control characters, line separators, and marks of the writing
/// direction.
pub(super) fn controls_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Adds colour, following `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
fn paint(stream: &impl RawStream, style: Style, text: &str) -> String {
    match AutoStream::choice(stream) {
        ColorChoice::Never => text.to_owned(),
        _ => format!("{style}{text}{style:#}"),
    }
}
