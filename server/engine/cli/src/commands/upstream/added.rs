//! Adds upstreams to the configuration file, whose comments and order stay.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table};

use super::served::file;
use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use crate::program::{Program, invocation};
use toolwrit_core::folders;
use toolwrit_gateway::upstreams::{KNOWN, Known, KnownLocation, MAX_NAME, is_name};
use toolwrit_text::nearest;

/// Lists the well-known servers.
pub(super) fn list() -> Result<(), Exit> {
    let columns = ["server", "needs", "summary"].map(|name| (name, Align::Left));
    let needs = |known: &Known| match known.location {
        KnownLocation::Command(_, Some(variable)) | KnownLocation::Url(_, variable) => {
            variable.to_owned()
        }
        KnownLocation::Command(..) => known.parameter.to_owned(),
        KnownLocation::Login(_) => "login".to_owned(),
    };
    let rows = KNOWN
        .iter()
        .map(|known| vec![known.name.to_owned(), needs(known), known.summary.to_owned()]);
    output::print(&table(&columns, &rows.collect::<Vec<_>>()))
}

/// Adds a well-known server.
pub(super) fn known(
    program: &Program,
    known: &str,
    parameters: &[String],
    name: Option<String>,
) -> Result<(), Exit> {
    let Some(found) = KNOWN.iter().find(|server| server.name == known) else {
        let names = KNOWN.iter().map(|server| server.name);
        let close = nearest::closest(known, names);
        let hint = match close.first() {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!(
                "`{} upstream add` lists them, and adds any other with --url or --command",
                invocation()
            ),
        };
        return Err(Exit::Failed(format!("`{known}` is not a server that is known here; {hint}")));
    };
    if parameters.is_empty() != found.parameter.is_empty() {
        return Err(Exit::Failed(match found.parameter {
            "" => format!("{known} needs nothing more; leave `{}` out", parameters.join(" ")),
            needed => format!("{known} needs a {needed}; add it"),
        }));
    }
    let table = of_known(found, parameters)?;
    let name = name.unwrap_or_else(|| known.to_owned());
    one(program, name.clone(), table)?;
    if let KnownLocation::Login(_) = found.location {
        output::print_message(&format!("Log in before: `{} upstream login {name}`.", invocation()));
    }
    Ok(())
}

/// Adds any server by its address or its program.
pub(super) fn other(
    program: &Program,
    name: String,
    key: &str,
    location: impl Into<toml_edit::Value>,
) -> Result<(), Exit> {
    one(program, name, Table::from_iter([(key, toml_edit::value(location))]))
}

/// Refuses an address that no server can have. A text with a variable may become one.
pub(super) fn check_address(url: &str) -> Result<(), Exit> {
    if ["https://", "http://", "${"].iter().any(|begin| url.starts_with(begin)) {
        return Ok(());
    }
    Err(Exit::Failed(format!(
        "`{url}` is not an address; expected one such as https://mcp.example/mcp"
    )))
}

/// Adds one table to the configuration file.
fn one(program: &Program, name: String, table: Table) -> Result<(), Exit> {
    let added = add(program, vec![(name, table)], false)?;
    if let Some(why) = added.left_out.first() {
        return Err(Exit::Failed(why.clone()));
    }
    added.announce();
    Ok(())
}

fn of_known(known: &Known, parameters: &[String]) -> Result<Table, Exit> {
    let mut upstream = Table::new();
    let environment = |variable: &str| {
        let source = toml_edit::InlineTable::from_iter([("env", variable)]);
        toml_edit::Value::InlineTable(source)
    };
    match known.location {
        KnownLocation::Command(words, variable) => {
            let given = parameters.iter().map(|path| absolute(path));
            let given: Vec<String> = given.collect::<Result<_, _>>()?;
            let words: Array = words.iter().map(|word| (*word).to_owned()).chain(given).collect();
            upstream.insert("command", toml_edit::value(words));
            if let Some(variable) = variable {
                let table = toml_edit::InlineTable::from_iter([(variable, environment(variable))]);
                upstream.insert("env", toml_edit::value(table));
            }
        }
        KnownLocation::Url(url, variable) => {
            upstream.insert("url", toml_edit::value(url));
            upstream.insert("token", toml_edit::value(environment(variable)));
        }
        KnownLocation::Login(url) => {
            upstream.insert("url", toml_edit::value(url));
            upstream.insert("login", toml_edit::value(true));
        }
    }
    if known.trust_annotations {
        upstream.insert("trust_annotations", toml_edit::value(true));
    }
    Ok(upstream)
}

/// The absolute form of a path, because servers start in other folders. No shell replaces `~` in the configuration.
fn absolute(path: &str) -> Result<String, Exit> {
    let in_home = match (path.strip_prefix("~/"), folders::home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    };
    let absolute = std::path::absolute(&in_home)
        .map_err(|error| Exit::Failed(format!("`{path}` cannot be made absolute: {error}")))?;
    Ok(absolute.to_string_lossy().into_owned())
}

/// What was added to the configuration file.
pub(crate) struct Added {
    file: PathBuf,
    /// The names of the tables.
    pub(crate) names: Vec<String>,
    /// Why other tables were left out.
    pub(crate) left_out: Vec<String>,
}

/// Adds tables to the configuration file, which is created if there is none. Leaves out those whose names it cannot have. With
/// `is_dry`, the file stays as it is.
pub(crate) fn add(
    program: &Program,
    tables: Vec<(String, Table)>,
    is_dry: bool,
) -> Result<Added, Exit> {
    let path = file(program)?;
    let failed = |why: &dyn std::fmt::Display| {
        Exit::Failed(format!("cannot change {}: {why}", path.display()))
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(&error)),
    };
    let mut document: DocumentMut = text.parse().map_err(|error| failed(&error))?;
    let mut parent = Table::new();
    parent.set_implicit(true);
    let upstreams = document.entry("upstreams").or_insert(Item::Table(parent));
    let Some(upstreams) = upstreams.as_table_like_mut() else {
        return Err(failed(&"`upstreams` is not a table"));
    };
    let (mut names, mut left_out) = (Vec::new(), Vec::new());
    for (name, table) in tables {
        if !is_name(&name) {
            left_out.push(format!(
                "`{name}` cannot be the name of an upstream: expected small letters, digits, `-` and `_`, beginning with a \
                 letter, at most {MAX_NAME}"
            ));
        } else if upstreams.contains_key(&name) {
            left_out.push(format!(
                "{} has [upstreams.{name}] already; remove it, or choose another name",
                path.display()
            ));
        } else {
            upstreams.insert(&name, Item::Table(table));
            names.push(name);
        }
    }
    if !names.is_empty() && !is_dry {
        write(&path, &document.to_string()).map_err(|error| failed(&error))?;
    }
    Ok(Added { file: path, names, left_out })
}

/// Removes the table of an upstream with its comments. Returns the file.
pub(super) fn remove(program: &Program, name: &str) -> Result<PathBuf, Exit> {
    let path = file(program)?;
    let failed = |why: &dyn std::fmt::Display| {
        Exit::Failed(format!("cannot change {}: {why}", path.display()))
    };
    let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
    let mut document: DocumentMut = text.parse().map_err(|error| failed(&error))?;
    let upstreams = document.get_mut("upstreams").and_then(Item::as_table_like_mut);
    upstreams.and_then(|upstreams| upstreams.remove(name));
    write(&path, &document.to_string()).map_err(|error| failed(&error))?;
    Ok(path)
}

/// Replaces the file as a whole: the one that a link leads to. A new one is private, because it may have secrets.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    if !path.exists() {
        folders::make_private_file(path)?;
    }
    let path = path.canonicalize()?;
    let new = path.with_extension(format!("toml.new-{}", std::process::id()));
    let written = folders::make_private_file(&new)
        .and_then(|mut file| {
            file.set_len(0)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::set_permissions(&new, fs::metadata(&path)?.permissions()))
        .and_then(|()| fs::rename(&new, &path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

impl Added {
    /// Says what was added, and what to do next.
    pub(crate) fn announce(&self) {
        let names = &self.names;
        output::print_message(&format!("Added {} to {}.", names.join(", "), self.file.display()));
        let approve =
            names.iter().map(|name| format!("`{} upstream approve {name}`", invocation()));
        let approve: Vec<String> = approve.collect();
        output::print_message(&format!(
            "Each is held until its tools are approved: {}.",
            approve.join(", ")
        ));
    }
}
