//! The programs that use MCP servers. `clients.toml` is the table of them; `document` reads their files, `edit` changes the text of
//! one, `replace` writes it, and `ledger` remembers what was there before. `launcher` finds the command that starts this program
//! also after an upgrade.

pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod launcher;
pub(crate) mod ledger;
pub(crate) mod replace;

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use document::Syntax;
use toolwrit_core::folders;

/// A program that uses MCP servers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) title: String,
    /// Its files of the user.
    user: Vec<String>,
    /// Its further files of the user on Windows.
    #[serde(default)]
    windows: Vec<String>,
    /// Its further files of the user, to which nothing is added.
    #[serde(default)]
    reads: Vec<String>,
    /// Its files in the folder of a project.
    #[serde(default)]
    project: Vec<String>,
    /// The environment variable that names the folder of the user's file.
    folder_variable: Option<String>,
    /// The key of the table of servers.
    pub(crate) servers: String,
    #[serde(default)]
    pub(crate) shape: Shape,
    /// Whether its files may have comments.
    #[serde(default)]
    comments: bool,
    /// Whether lists in its files may end with a comma.
    #[serde(default)]
    trailing_commas: bool,
    /// Whether `$NAME` is a variable.
    #[serde(default)]
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) bare_variables: bool,
    /// Its own command that adds a server.
    #[serde(default)]
    pub(crate) add: Vec<String>,
    /// Its own command that removes a server.
    #[serde(default)]
    pub(crate) remove: Vec<String>,
    /// Flags of `serve` that suit it.
    #[serde(default)]
    pub(crate) flags: Vec<String>,
    /// The name of its process, if it overwrites changes that are made while it runs.
    pub(crate) running: Option<String>,
    /// What a user must know.
    pub(crate) note: Option<String>,
}

/// How the entry of a server looks.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shape {
    /// `command` and `args`.
    #[default]
    Plain,
    /// The same, with `type`.
    Typed,
    /// `command` with the arguments, and `type`.
    Opencode,
    /// `cmd` and `args`, and what Goose needs besides.
    Goose,
    /// A file for each server, with a list.
    Continue,
}

/// For whom a server is added.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// For all projects of the user.
    #[default]
    User,
    /// For the project in the current folder.
    Project,
}

impl Scope {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
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
    /// Its files of the user, also those that do not exist. Of files whose names are open, only those that exist.
    pub(crate) fn user_files(&self) -> impl Iterator<Item = PathBuf> {
        let read = self.reads.iter().filter_map(|file| in_folder_of_user(file));
        self.user_paths().chain(read).flat_map(|path| matching(&named(&path, "*")))
    }

    /// Its files in a project, also those that do not exist.
    pub(crate) fn project_files(&self, project: &Path) -> impl Iterator<Item = PathBuf> {
        self.project.iter().flat_map(move |file| matching(&named(&project.join(file), "*")))
    }

    /// The file to which a server of this name is added; `None` if the client has no such file.
    pub(crate) fn file(&self, scope: Scope, name: &str) -> Option<PathBuf> {
        let files: Vec<PathBuf> = match scope {
            Scope::User => self.user_paths().collect(),
            Scope::Project => {
                let here = std::env::current_dir().ok()?;
                self.project.iter().map(|file| here.join(file)).collect()
            }
        };
        let files: Vec<PathBuf> =
            files.iter().flat_map(|path| matching(&named(path, name))).collect();
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    }

    /// Whether it has files of its own for servers of this scope.
    pub(crate) fn has_scope(&self, scope: Scope) -> bool {
        match scope {
            Scope::User => !self.user.is_empty(),
            Scope::Project => !self.project.is_empty(),
        }
    }

    /// Whether a file is one of it, wherever its folder is.
    #[cfg_attr(not(feature = "upstreams"), expect(dead_code, reason = "for imports"))]
    pub(crate) fn has(&self, file: &Path) -> bool {
        let ends = |known: &String| {
            let relative = known.split_once("}/").map_or(known.as_str(), |(_, rest)| rest);
            file.ends_with(relative.trim_start_matches("~/"))
        };
        self.user.iter().chain(&self.project).any(ends)
    }

    /// The syntax of a file of it.
    pub(crate) fn syntax(&self, file: &Path) -> Syntax {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Syntax::Toml,
            Some("yaml" | "yml") => Syntax::Yaml,
            _ => Syntax::Json { comments: self.comments, trailing_commas: self.trailing_commas },
        }
    }

    /// Whether it is probably installed: it has files, or a folder for them.
    pub(crate) fn is_present(&self) -> bool {
        let home = folders::home();
        let has_folder = |file: PathBuf| {
            let folder = file.parent().filter(|folder| Some(*folder) != home.as_deref());
            folder.is_some_and(Path::is_dir)
        };
        self.user_files().any(|file| file.exists()) || self.user_paths().any(has_folder)
    }

    fn user_paths(&self) -> impl Iterator<Item = PathBuf> {
        let own_folder = self.folder_variable.as_deref().and_then(std::env::var_os);
        let own_folder = own_folder.map(PathBuf::from).filter(|folder| folder.is_absolute());
        let windows = if cfg!(windows) { self.windows.as_slice() } else { &[] };
        windows.iter().chain(&self.user).filter_map(move |file| {
            if let Some(folder) = &own_folder {
                return Some(folder.join(Path::new(file).file_name()?));
            }
            in_folder_of_user(file)
        })
    }
}

/// A path of the table, below the folder of the user with which it begins.
fn in_folder_of_user(file: &str) -> Option<PathBuf> {
    let below =
        |prefix: &str, folder: Option<PathBuf>| Some(folder?.join(file.strip_prefix(prefix)?));
    below("{configuration}/", folders::configuration())
        .or_else(|| below("{data}/", folders::data()))
        .or_else(|| below("~/", folders::home()))
}

/// A path with a name in place of `{name}`.
fn named(path: &Path, name: &str) -> PathBuf {
    PathBuf::from(path.to_string_lossy().replace("{name}", name))
}

/// The paths that a path with `*` stands for, in the order of their names; a path without it as it is.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let open = match component {
            Component::Normal(name) => name.to_str().and_then(|name| name.split_once('*')),
            _ => None,
        };
        match open {
            None => {
                for path in &mut found {
                    path.push(component);
                }
            }
            Some((start, end)) => {
                found = found.iter().flat_map(|folder| entries(folder, start, end)).collect();
            }
        }
    }
    found
}

/// The entries of a folder whose names begin and end so.
fn entries(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| {
            let name = entry.file_name();
            let rest = name.to_str().and_then(|name| name.strip_prefix(start));
            rest.is_some_and(|rest| rest.ends_with(end))
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::{Scope, all};

    #[test]
    fn each_client_has_a_name_of_its_own_and_a_way_to_add_a_server() {
        let mut names: Vec<&str> = all().iter().map(|client| client.name.as_str()).collect();
        let can_be_added = |scope| all().iter().filter(move |client| client.has_scope(scope));
        assert!(can_be_added(Scope::User).all(|client| client.file(Scope::User, "x").is_some()));
        assert!(all().iter().all(|client| client.has_scope(Scope::User) || client.note.is_some()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().len());
    }
}
