//! Flags of every command that name a file which the command line depends on, so that they are read before it is parsed.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::environment;
use toolwrit_core::folders;

/// Returns the file that the arguments name with this flag, wherever it stands, or else that of the environment.
pub(crate) fn find(arguments: &[OsString], flag: &str, variable: &str) -> Option<PathBuf> {
    let file = on_command_line(arguments, flag).map(OsStr::to_owned);
    let file = file
        .or_else(|| env::var_os(&*environment::variable(variable)).filter(|file| !file.is_empty()));
    file.map(|file| folders::expanded(Path::new(&file)))
}

fn on_command_line<'a>(arguments: &'a [OsString], flag: &str) -> Option<&'a OsStr> {
    let mut arguments = arguments[..own_words(arguments)].iter();
    while let Some(argument) = arguments.next() {
        let rest = argument.to_str().and_then(|text| text.strip_prefix(flag));
        match rest.map(|rest| rest.strip_prefix('=')) {
            Some(Some(file)) => return Some(OsStr::new(file)),
            Some(None) if argument == flag => return arguments.next().map(OsString::as_os_str),
            _ => {}
        }
    }
    None
}

/// How many of the arguments are this program's own: what follows `--`, or `upstream add .. --command`, belongs to others.
fn own_words(arguments: &[OsString]) -> usize {
    let adds = arguments.windows(2).position(|pair| pair[0] == "upstream" && pair[1] == "add");
    let ends = |at: usize, argument: &OsString| {
        let is_command = adds.is_some_and(|adds| adds < at) && argument == "--command";
        is_command || argument == "--"
    };
    arguments
        .iter()
        .enumerate()
        .position(|(at, argument)| ends(at, argument))
        .unwrap_or(arguments.len())
}
