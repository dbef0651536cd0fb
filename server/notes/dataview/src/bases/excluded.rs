//! The files that the user has excluded in Obsidian's settings.

use regex::Regex;
use toolwrit_vault::{Vault, VaultPath};

use super::answer::Failed;
use crate::evaluation::{Pattern, compile};

/// The key of the settings.
const KEY: &str = "userIgnoreFilters";

/// Which files are excluded.
#[derive(Debug, Default)]
pub(super) struct Excluded {
    prefixes: Vec<String>,
    patterns: Vec<Regex>,
}

impl Excluded {
    /// Reads the settings. What is wrong in them excludes nothing, and is returned.
    pub(super) fn read(vault: &Vault) -> (Self, Vec<Failed>) {
        let mut excluded = Self::default();
        let problem = |reason| Failed { place: KEY.to_owned(), files: 0, reason };
        let settings = match vault.app_settings() {
            Ok(settings) => settings.unwrap_or_default(),
            Err(reason) => return (excluded, vec![problem(reason)]),
        };
        let mut problems = Vec::new();
        let filters = settings.get(KEY).and_then(|filters| filters.as_array());
        for filter in filters.into_iter().flatten().filter_map(|filter| filter.as_str()) {
            let inside = filter.strip_prefix('/').and_then(|filter| filter.strip_suffix('/'));
            match inside.filter(|inside| !inside.is_empty()) {
                None if filter.is_empty() => {}
                None => excluded.prefixes.push(filter.to_owned()),
                Some(pattern) => match compile(Pattern::Anywhere, pattern) {
                    Ok(pattern) => excluded.patterns.push(pattern),
                    Err(reason) => problems.push(problem(reason)),
                },
            }
        }
        (excluded, problems)
    }

    pub(super) fn has(&self, path: &VaultPath) -> bool {
        let path = path.as_str();
        self.prefixes.iter().any(|prefix| path.starts_with(prefix.as_str()))
            || self.patterns.iter().any(|pattern| pattern.is_match(path))
    }
}
