//! Measures compiler processes. Cargo starts the compiler through this program, and the compiler starts its
//! linker through it: each time the program runs the command and records its user and system time.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Set if the program runs as the compiler; names the folder for the records.
pub(crate) const NOTES: &str = "TOOLWRIT_BENCH_NOTES";
/// The crate whose cost is recorded.
pub(crate) const CRATE: &str = "TOOLWRIT_BENCH_CRATE";

/// The cost of building one crate.
pub(crate) struct Cost {
    /// User and system time of the compiler in seconds, without the linker.
    pub(crate) compiler: f64,
    /// The same of the linker.
    pub(crate) linker: f64,
}

impl Cost {
    /// Reads the records.
    pub(crate) fn read(notes: &Path) -> Self {
        let seconds = |name| fs::read_to_string(notes.join(name)).unwrap().parse().unwrap();
        let linker: f64 = seconds("linker");
        let both: f64 = seconds("compiler");
        Self { compiler: both - linker, linker }
    }
}

/// Runs the compiler or its linker if started as one.
pub(crate) fn as_wrapper() -> Option<ExitCode> {
    let notes = PathBuf::from(std::env::var_os(NOTES)?);
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo passes the compiler's path first; the compiler passes only flags to its linker.
    let is_compiler = Path::new(&arguments[0]).file_stem().is_some_and(|name| name == "rustc");
    let status = if is_compiler {
        Command::new(&arguments[0]).args(&arguments[1..]).status()
    } else {
        Command::new("cc").args(&arguments).status()
    };
    let wanted = std::env::var_os(CRATE).unwrap();
    let is_wanted = arguments.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == wanted);
    // The program is linked last, so its record remains.
    if is_wanted || !is_compiler {
        let name = if is_compiler { "compiler" } else { "linker" };
        fs::write(notes.join(name), children_seconds().to_string()).unwrap();
    }
    Some(if status.unwrap().success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn children_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let spent = usage.user_time().num_milliseconds() + usage.system_time().num_milliseconds();
    f64::from(i32::try_from(spent).unwrap()) / 1000.0
}
