//! `import claude`: writes the servers of others that another program is configured with into the configuration file.

use std::env::consts::EXE_SUFFIX;
use std::path::{PathBuf, is_separator};
use std::{env, fs};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use toml_edit::{Array, InlineTable, Table, Value};

use super::Source;
use crate::commands::upstream::added;
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, invocation};
use toolwrit_gateway::upstreams::import::{
    self, Format, Imported, MAX_BYTES, Problem, Target, Template,
};

pub(super) const SOURCE: Source = Source { name: "claude", command, run };

#[derive(Debug, Args)]
struct Flags {
    /// Configuration of Claude Desktop, Cursor or VS Code as JSON, or of Codex as TOML.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

fn command() -> Command {
    Flags::augment_args(Command::new(SOURCE.name)).about(
        "Write the MCP servers that another program is configured with into the configuration file",
    )
}

fn run(program: &Program, matches: &ArgMatches) -> Result<(), Exit> {
    let Flags { file } = Flags::from_arg_matches(matches)?;
    let unreadable = |why: String| Exit::Failed(format!("cannot read {}: {why}", file.display()));
    let size = fs::metadata(&file).map_err(|error| unreadable(error.to_string()))?.len();
    if size > MAX_BYTES as u64 {
        return Err(unreadable(format!("it has more than {MAX_BYTES} bytes")));
    }
    let text = fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let format = if is_toml { Format::Toml } else { Format::Json };
    let in_file = |problem: &Problem| format!("{}: {problem}", file.display());
    let entries =
        import::parse(&text, format).map_err(|problem| Exit::Failed(in_file(&problem)))?;
    if entries.is_empty() {
        return Err(unreadable("it has no servers".to_owned()));
    }
    let (mut upstreams, mut left_out) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Ok(upstream) if is_this_program(&upstream) => left_out.push(format!(
                "{}: `{}` is this program, which would start itself",
                file.display(),
                upstream.name
            )),
            Ok(upstream) => upstreams.push((name_of(&upstream.name), upstream)),
            Err(problems) => left_out.extend(problems.iter().map(in_file)),
        }
    }
    let tables = upstreams.iter().map(|(name, upstream)| (name.clone(), table(upstream)));
    let added = added::add(program, tables.collect())?;
    for why in left_out.iter().chain(&added.left_out) {
        output::print_message(&format!("left out: {why}"));
    }
    if added.names.is_empty() {
        return Err(Exit::Failed("nothing was imported".to_owned()));
    }
    for name in &added.names {
        // Of several servers that have the same name here, the first was added.
        if let Some((name, upstream)) =
            upstreams.iter().find(|(upstream_name, _)| upstream_name == name)
        {
            warn_about(name, upstream);
        }
    }
    added.announce();
    Ok(())
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

/// The name of an upstream from that of another program: `Brave Search` is `brave-search`.
fn name_of(name: &str) -> String {
    let plain =
        |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    let plain: String = name.chars().map(plain).collect();
    plain.trim_matches('-').to_owned()
}

/// The table of an upstream, with its variables as they are written.
fn table(upstream: &Imported) -> Table {
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
    if upstream.disabled {
        table.insert("enabled", toml_edit::value(false));
    }
    table
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
    let is_secret = |variable: &str| {
        let upper = variable.to_ascii_uppercase();
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "AUTHORIZATION"]
            .iter()
            .any(|word| upper.contains(word))
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
}
