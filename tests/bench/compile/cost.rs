//! The cost of one compiler process. Cargo starts the compiler through this very program, which
//! passes the command on and notes the user and system time of the compiler and its linker.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Set when the program runs in place of the compiler; names the file that takes the note.
pub(crate) const NOTE: &str = "TOOLWRIT_BENCH_NOTE";
/// The crate whose cost is noted.
pub(crate) const CRATE: &str = "TOOLWRIT_BENCH_CRATE";

/// What a build of one crate takes.
pub(crate) struct Cost {
    /// User and system time in seconds.
    pub(crate) cpu: f64,
    /// The most memory in use at once, in megabytes.
    pub(crate) peak_mb: i64,
}

impl Cost {
    /// Reads a note back.
    pub(crate) fn read(note: &Path) -> Self {
        let text = fs::read_to_string(note).unwrap();
        let (cpu, peak) = text.split_once(' ').unwrap();
        Self { cpu: cpu.parse().unwrap(), peak_mb: peak.parse().unwrap() }
    }
}

/// Acts as the compiler if cargo has started this program as one.
pub(crate) fn as_wrapper() -> Option<ExitCode> {
    let note = std::env::var_os(NOTE)?;
    let command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let status = Command::new(&command[0]).args(&command[1..]).status().unwrap();
    let wanted = std::env::var_os(CRATE).unwrap();
    if command.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == wanted) {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        let cpu = usage.user_time().num_milliseconds() + usage.system_time().num_milliseconds();
        let seconds = f64::from(i32::try_from(cpu).unwrap()) / 1000.0;
        fs::write(note, format!("{seconds} {}", usage.max_rss() / 1024)).unwrap();
    }
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
