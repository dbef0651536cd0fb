//! The environment of an upstream. Variables of ours may be secrets of other upstreams.

use secrecy::ExposeSecret as _;

use crate::model::Command;

/// The variables that every program has.
#[cfg(not(windows))]
const INHERITED: [&str; 3] = ["PATH", "HOME", "LANG"];
/// The variables that every program has. Windows does not start programs without some of them.
#[cfg(windows)]
const INHERITED: [&str; 9] = [
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "TEMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "COMSPEC",
];

/// The variables of a program: the inherited ones, and those that are declared.
pub(super) fn variables(command: &Command) -> Vec<(String, String)> {
    let inherited =
        INHERITED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let declared = command.environment.iter();
    let declared = declared.map(|(name, value)| (name.clone(), value.expose_secret().to_owned()));
    inherited.chain(declared).collect()
}
