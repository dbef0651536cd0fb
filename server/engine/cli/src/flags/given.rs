//! Flags as a command was given them, for another command that is to do the same.

use std::path::{Path, PathBuf, absolute};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use crate::config::named::NamedPath;
use crate::program::quoted;

/// The words of a flag, with its values in quotes for a shell. See [`values_given`].
pub(crate) fn words_given(
    flag: &Arg,
    matches: &ArgMatches,
    sources: &[ValueSource],
) -> Vec<String> {
    values_given(flag, matches, sources).iter().map(|word| quoted(word)).collect()
}

/// The words of a flag as arguments of a process, with paths that are valid in every folder. Empty for a flag that was not given
/// by one of the sources.
pub(crate) fn values_given(
    flag: &Arg,
    matches: &ArgMatches,
    sources: &[ValueSource],
) -> Vec<String> {
    let id = flag.get_id();
    let is_known = matches.ids().any(|known| known == id);
    let source = is_known.then(|| matches.value_source(id.as_str())).flatten();
    let is_given = source.is_some_and(|source| sources.contains(&source));
    let Some(name) = flag.get_long().filter(|_| is_given) else { return Vec::new() };
    if !flag.get_action().takes_values() {
        return vec![format!("--{name}")];
    }
    let whole = |path: &Path| absolute(path).unwrap_or_else(|_| path.to_owned());
    let values: Vec<String> = if let Ok(paths) = matches.try_get_many::<PathBuf>(id.as_str()) {
        paths.into_iter().flatten().map(|path| whole(path).display().to_string()).collect()
    } else if let Ok(paths) = matches.try_get_many::<NamedPath>(id.as_str()) {
        let whole = |named: &NamedPath| named.with_path(whole(&named.path));
        paths
            .into_iter()
            .flatten()
            .map(|named| whole(named).to_string_lossy().into_owned())
            .collect()
    } else {
        let values = matches.get_raw(id.as_str()).into_iter().flatten();
        values.map(|value| value.to_string_lossy().into_owned()).collect()
    };
    values.into_iter().flat_map(|value| [format!("--{name}"), value]).collect()
}
