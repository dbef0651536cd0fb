//! Paths that begin with `~`: in the configuration of a client no shell replaces it, and tables are narrower with it.

use std::path::Path;

use clap::Command;
use clap::builder::{PathBufValueParser, TypedValueParser, ValueParser};

use toolwrit_core::folders;

/// Lets the paths of a command's flags begin with `~`.
pub(crate) fn from_home(command: Command) -> Command {
    let path = ValueParser::path_buf().type_id();
    let expanded = PathBufValueParser::new().map(|path| folders::expanded(&path));
    command.mut_args(|arg| {
        let is_path = arg.get_value_parser().type_id() == path;
        if is_path { arg.value_parser(expanded.clone()) } else { arg }
    })
}

/// A path as users write it, with `~` for the home folder.
pub(crate) fn shown(path: &Path) -> String {
    let in_home = folders::home().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
    match in_home {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
