//! The commands of clients themselves.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::clients::edit::Server;
use crate::clients::launcher;
use crate::clients::{Scope, Shape};

/// How long a client's command may take.
const TIME: Duration = Duration::from_mins(1);

/// The words of a command in the table of clients, filled in.
pub(super) fn filled(
    template: &[String],
    scope: Scope,
    server: Server<'_>,
    shape: Shape,
) -> Vec<String> {
    let json = || {
        let mut entry = server.entry(shape);
        entry.insert("name".to_owned(), server.name.into());
        Value::Object(entry).to_string()
    };
    let word = |word: &String| match word.as_str() {
        "{scope}" => vec![scope.word().to_owned()],
        "{name}" => vec![server.name.to_owned()],
        "{json}" => vec![json()],
        "{command}" => server.words.to_vec(),
        _ => vec![word.clone()],
    };
    template.iter().flat_map(word).collect()
}

/// Runs a client's command.
///
/// # Errors
/// What it said, if it failed or took too long.
pub(super) fn run(words: &[String]) -> Result<(), String> {
    let name = words.first().map_or("", String::as_str);
    let program = launcher::find_program(name).ok_or_else(|| format!("{name} is not in PATH"))?;
    let mut command = Command::new(program);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| format!("{name} cannot be started: {error}"))?;
    // What a program says about a mistake fits into the pipe, so it need not be read meanwhile.
    let deadline = Instant::now() + TIME;
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                let _ = child.kill().and_then(|()| child.wait());
                return Err(format!("{name} has not ended after {} seconds", TIME.as_secs()));
            }
            Err(error) => return Err(format!("{name}: {error}")),
        }
    };
    if ended.success() {
        return Ok(());
    }
    let said = child.stderr.map(std::io::read_to_string).and_then(Result::ok).unwrap_or_default();
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Err(format!("{name} says: {}", said.last().copied().unwrap_or("nothing")))
}

/// Whether a process of this name runs.
pub(super) fn is_running(name: &str) -> bool {
    if cfg!(target_os = "linux") {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let name_of =
            |process: std::fs::DirEntry| std::fs::read_to_string(process.path().join("comm")).ok();
        return processes.filter_map(name_of).any(|found| found.trim_end() == name);
    }
    let (program, arguments) = if cfg!(windows) {
        ("tasklist", vec!["/FI".to_owned(), format!("IMAGENAME eq {name}.exe"), "/NH".to_owned()])
    } else {
        ("pgrep", vec!["-x".to_owned(), name.to_owned()])
    };
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    output.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout).contains(&format!("{name}.exe"))
            || (!cfg!(windows) && output.status.success())
    })
}
