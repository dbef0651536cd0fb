//! The programs that use MCP servers: where each has its configuration. `clients.toml` is the table.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use toolwrit_core::folders;

/// A program that uses MCP servers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) name: String,
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) title: String,
    /// Its files of the user.
    user: Vec<String>,
    /// Its files in the folder of a project.
    #[serde(default)]
    project: Vec<String>,
    /// The key of the table of servers.
    pub(crate) servers: String,
    /// Whether its files may have comments.
    #[serde(default)]
    pub(crate) comments: bool,
    /// Whether `$NAME` is a variable.
    #[serde(default)]
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) bare_variables: bool,
}

#[derive(Deserialize)]
struct Table {
    client: Vec<Client>,
}

/// All known clients.
pub(crate) fn all() -> &'static [Client] {
    static CLIENTS: LazyLock<Vec<Client>> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "a test reads the table")]
        let table: Table = toml::from_str(include_str!("clients.toml")).expect("the table is TOML");
        table.client
    });
    &CLIENTS
}

impl Client {
    /// Its files of the user, also those that do not exist.
    pub(crate) fn user_files(&self) -> impl Iterator<Item = PathBuf> {
        self.user.iter().filter_map(|file| match file.strip_prefix("{configuration}/") {
            Some(rest) => Some(folders::configuration()?.join(rest)),
            None => Some(folders::home()?.join(file.strip_prefix("~/")?)),
        })
    }

    /// Its files in a project, also those that do not exist.
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) fn project_files(&self, project: &Path) -> impl Iterator<Item = PathBuf> {
        self.project.iter().map(|file| project.join(file))
    }

    /// Whether a file is one of it, wherever its folder is.
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) fn has(&self, file: &Path) -> bool {
        let ends = |known: &String| {
            file.ends_with(known.trim_start_matches("{configuration}/").trim_start_matches("~/"))
        };
        self.user.iter().chain(&self.project).any(ends)
    }
}

#[cfg(test)]
mod tests {
    use super::all;

    #[test]
    fn each_client_has_a_name_of_its_own_and_files() {
        let mut names: Vec<&str> = all().iter().map(|client| client.name.as_str()).collect();
        assert!(all().iter().all(|client| client.user_files().count() > 0));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
    }
}
