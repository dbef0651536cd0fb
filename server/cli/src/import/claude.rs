//! `import claude`: writes the servers of others that another program is configured with into the configuration file.

use std::fs;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use toml_edit::{Array, InlineTable, Table, Value};

use super::Source;
use crate::exit::Exit;
use crate::output;
use crate::program::{Program, invocation};
use crate::upstream::added;
use toolwrit_gateway::import::{self, Format, Imported, MAX_BYTES, Target, Template};
use toolwrit_gateway::{MAX_NAME, is_name};

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
    let imported = import::parse(&text, format).map_err(|problems| {
        let lines: Vec<String> =
            problems.iter().map(|own| format!("{}: {own}", file.display())).collect();
        Exit::Failed(lines.join("\n"))
    })?;
    if imported.is_empty() {
        return Err(unreadable("it has no servers".to_owned()));
    }
    let mut tables = Vec::new();
    for upstream in &imported {
        let name = name_of(&upstream.name);
        if !is_name(&name) {
            let name = &upstream.name;
            return Err(Exit::Failed(format!(
                "`{name}` cannot be the name of an upstream: expected a letter and at most {MAX_NAME} characters"
            )));
        }
        literal_secrets(upstream, &name);
        tables.push((name, table(upstream)));
    }
    let names: Vec<String> = tables.iter().map(|(name, _)| name.clone()).collect();
    let written = added::add(program, tables)?;
    added::announce(&written, &names);
    Ok(())
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

/// Says which values are probably secrets, because they stand in the other file and now in the configuration.
fn literal_secrets(upstream: &Imported, name: &str) {
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
