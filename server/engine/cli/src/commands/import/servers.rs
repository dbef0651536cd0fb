//! The servers of another program's configuration, as tables of ours.

use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf, is_separator};
use std::{env, fs};

use toml_edit::{Array, InlineTable, Table, Value};

use crate::clients;
use crate::commands::upstream::added;
use crate::output;
use crate::program::{Program, invocation};
use toolwrit_gateway::upstreams::import::{
    self, Format, Imported, Login, MAX_BYTES, Problem, Target, Template, Variables,
};
use toolwrit_gateway::upstreams::{MAX_NAME, SettingProblem, UpstreamSettings, is_name};
use toolwrit_text::names_secret;

/// A server that can be added.
pub(super) struct Server {
    /// The name of its upstream.
    pub(super) name: String,
    pub(super) upstream: Imported,
    pub(super) file: PathBuf,
}

/// What other programs are configured with.
#[derive(Default)]
pub(super) struct Servers {
    pub(super) found: Vec<Server>,
    /// Why other entries, or parts of entries, are left out.
    pub(super) left_out: Vec<String>,
}

impl Servers {
    /// Reads a file.
    ///
    /// # Errors
    /// Why it cannot be read, or has no servers.
    pub(super) fn read(&mut self, file: &Path) -> Result<(), String> {
        let unreadable = |why: String| format!("cannot read {}: {why}", file.display());
        let size = fs::metadata(file).map_err(|error| unreadable(error.to_string()))?.len();
        if size > MAX_BYTES as u64 {
            return Err(unreadable(format!("it has more than {MAX_BYTES} bytes")));
        }
        let text = fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
        let is_bare = clients::all().iter().any(|client| client.bare_variables && client.has(file));
        let variables = if is_bare { Variables::Bare } else { Variables::Braced };
        let in_file = |problem: &Problem| format!("{}: {problem}", file.display());
        let entries = import::parse(&text, Format::of_file(file), variables)
            .map_err(|problem| in_file(&problem))?;
        if entries.is_empty() {
            return Err(unreadable("it has no servers".to_owned()));
        }
        for entry in entries {
            match entry {
                Ok(upstream) if is_this_program(&upstream) => self.left_out.push(format!(
                    "{}: `{}` is this program, which would start itself",
                    file.display(),
                    upstream.name
                )),
                Ok(upstream) => {
                    self.left_out.extend(upstream.left_out.iter().map(in_file));
                    self.push(upstream, file);
                }
                Err(problems) => self.left_out.extend(problems.iter().map(in_file)),
            }
        }
        Ok(())
    }

    /// Adds a server, unless it is known under the same name.
    fn push(&mut self, upstream: Imported, file: &Path) {
        let name = self.name_of(&upstream.name);
        let is_same = |known: &Server| known.name == name && known.upstream == upstream;
        if !self.found.iter().any(is_same) {
            self.found.push(Server { name, upstream, file: file.to_owned() });
        }
    }

    /// The name of an upstream from that of another program: `Brave Search` is `brave-search`. A name without Latin letters is
    /// a number.
    fn name_of(&self, name: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let plain = |c: char| if is_plain(c) { c.to_ascii_lowercase() } else { '-' };
        let plain: String = name.chars().map(plain).take(MAX_NAME).collect();
        let plain = plain.trim_matches('-');
        if is_name(plain) {
            return plain.to_owned();
        }
        let base = format!("server-{plain}").chars().take(MAX_NAME - 4).collect::<String>();
        let base = base.trim_end_matches('-');
        let is_free = |name: &String| !self.found.iter().any(|server| server.name == *name);
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut names = std::iter::once(base.to_owned()).chain(numbered);
        names.find(is_free).unwrap_or_default()
    }

    /// Writes the tables of the servers, or only says what would be written.
    ///
    /// # Errors
    /// If the file cannot be changed.
    pub(super) fn add(
        &mut self,
        program: &Program,
        is_dry: bool,
    ) -> Result<added::Added, crate::exit::Exit> {
        let mut tables = Vec::new();
        for server in &self.found {
            let (table, left_out) = usable(server);
            let file = server.file.display();
            self.left_out.extend(left_out.map(|why| format!("{file}: {why}")));
            tables.extend(table.map(|table| (server.name.clone(), table)));
        }
        let added = added::add(program, tables, is_dry)?;
        self.left_out.extend(added.left_out.iter().cloned());
        for why in &self.left_out {
            output::print_message(&format!("left out: {why}"));
        }
        for name in &added.names {
            // Of several servers that have the same name here, the first was added.
            if let Some(server) = self.found.iter().find(|server| server.name == *name) {
                warn_about(name, &server.upstream);
            }
        }
        Ok(added)
    }
}

/// Whether a server is the program that runs, whatever its arguments are.
fn is_this_program(upstream: &Imported) -> bool {
    let Target::Command { program, .. } = &upstream.target else { return false };
    let Ok(program) = program.fill(|name| env::var(name).ok()) else { return false };
    let folders: Vec<PathBuf> = if program.contains(is_separator) {
        vec![PathBuf::new()]
    } else {
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
    };
    let names = [program.clone(), format!("{program}{EXE_SUFFIX}")];
    let mut files =
        folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let found = files.find_map(|file| file.canonicalize().ok());
    let executable = env::current_exe().and_then(|path| path.canonicalize()).ok();
    executable.is_some() && found == executable
}

/// The table of a server, as far as the configuration can have it, and what is left out.
fn usable(server: &Server) -> (Option<Table>, Option<String>) {
    let mut table = table(&server.upstream);
    let name = &server.upstream.name;
    let problems = |table: &Table| {
        let settings = toml::from_str(&table.to_string()).unwrap_or_default();
        UpstreamSettings::parse(&server.name, &settings).err().unwrap_or_default()
    };
    let is_login = |problem: &SettingProblem| problem.key.as_deref() == Some(LOGIN);
    let found = problems(&table);
    if !found.is_empty() && found.iter().all(is_login) {
        table.remove(LOGIN);
        return (Some(table), Some(format!("`{name}`: `oauth` is not supported")));
    }
    match found.first() {
        None => (Some(table), None),
        Some(problem) => (None, Some(format!("`{name}`: {problem}"))),
    }
}

/// The key that says how a user logs in.
const LOGIN: &str = "login";

/// The table of an upstream, with its variables as they are written.
pub(super) fn table(upstream: &Imported) -> Table {
    let text = |template: &Template| Value::from(template.to_string());
    let texts = |all: &std::collections::BTreeMap<String, Template>| {
        let entries = all.iter().map(|(name, value)| (name.as_str(), text(value)));
        toml_edit::value(entries.collect::<InlineTable>())
    };
    let mut table = Table::new();
    match &upstream.target {
        Target::Command { program, arguments, environment, directory } => {
            let words: Array = [program].into_iter().chain(arguments).map(text).collect();
            table.insert("command", toml_edit::value(words));
            if !environment.is_empty() {
                table.insert("env", texts(environment));
            }
            if let Some(directory) = directory {
                table.insert("cwd", toml_edit::value(text(directory)));
            }
        }
        Target::Remote { url, headers } => {
            table.insert("url", toml_edit::value(text(url)));
            if !headers.is_empty() {
                table.insert("headers", texts(headers));
            }
        }
    }
    let seconds =
        |time: std::time::Duration| toml_edit::value(format!("{}s", time.as_secs().max(1)));
    if let Some(time) = upstream.call_timeout {
        table.insert("timeout", seconds(time));
    }
    if let Some(time) = upstream.start_timeout {
        table.insert("start_timeout", seconds(time));
    }
    let names = |names: &[String]| toml_edit::value(names.iter().cloned().collect::<Array>());
    if let Some(only) = &upstream.only {
        table.insert("only", names(only));
    }
    if !upstream.except.is_empty() {
        table.insert("except", names(&upstream.except));
    }
    if let Some(login) = &upstream.login {
        table.insert(LOGIN, login_value(login));
    }
    if upstream.disabled {
        table.insert("enabled", toml_edit::value(false));
    }
    table
}

/// The key `login`.
fn login_value(login: &Login) -> toml_edit::Item {
    let redirect = login.port.map(|port| format!("http://localhost:{port}/callback"));
    let said = [("client_id", &login.client_id), ("scope", &login.scope), ("redirect", &redirect)];
    let said = said.into_iter().filter_map(|(key, text)| Some((key, text.as_deref()?)));
    let table: InlineTable = said.collect();
    if table.is_empty() { toml_edit::value(true) } else { toml_edit::value(table) }
}

/// Says which variable is not set, and which values are probably secrets, because they stand in the other file and now in
/// the configuration.
fn warn_about(name: &str, upstream: &Imported) {
    if let Err(unset) = upstream.endpoint(|name| env::var(name).ok()) {
        output::print_warning(&format!("[upstreams.{name}] cannot start yet: {unset}"));
    }
    let (key, values) = match &upstream.target {
        Target::Command { environment, .. } => ("env", environment),
        Target::Remote { headers, .. } => ("headers", headers),
    };
    for (variable, value) in values {
        if is_secret(variable) && value.variables().next().is_none() {
            output::print_warning(&format!(
                "[upstreams.{name}] has {key}.{variable} as it was written; keep the secret elsewhere, as in {variable} = \
                 {{ env = \"{}\" }} (see `{} upstream --help`)",
                variable.to_ascii_uppercase().replace('-', "_"),
                invocation(),
            ));
        }
    }
    if let Target::Command { arguments, .. } = &upstream.target {
        secret_arguments(arguments).for_each(|flag| {
            output::print_warning(&format!(
                "[upstreams.{name}] has the value of {flag} as it was written; keep the secret elsewhere: in a variable, \
                 `${{NAME}}`, if the server has no variable of its own for it"
            ));
        });
    }
}

fn is_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let words = ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTHORIZATION"];
    names_secret(name) || words.iter().any(|word| upper.contains(word))
}

/// The flags among arguments whose values are probably secrets: `--key VALUE` and `--key=VALUE`.
fn secret_arguments(arguments: &[Template]) -> impl Iterator<Item = String> {
    let is_literal = |value: &Template| value.variables().next().is_none();
    let words: Vec<(String, bool)> =
        arguments.iter().map(|argument| (argument.to_string(), is_literal(argument))).collect();
    let found = words.iter().enumerate().filter_map(|(at, (word, is_literal))| {
        let flag = word.strip_prefix('-')?.trim_start_matches('-');
        let (name, has_value) = match flag.split_once('=') {
            Some((name, value)) => (name, *is_literal && !value.is_empty()),
            None => (
                flag,
                words
                    .get(at + 1)
                    .is_some_and(|(next, is_literal)| *is_literal && !next.starts_with('-')),
            ),
        };
        let dashes = &word[..word.len() - flag.len()];
        (has_value && is_secret(name)).then(|| format!("{dashes}{name}"))
    });
    found.collect::<Vec<_>>().into_iter()
}
