//! Finds the table of servers in a configuration.

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use super::entry::escaped;
use super::{Format, MAX_BYTES, Problem};

/// The tables of servers in JSON. Of several, the first one counts.
const TABLES: [&[&str]; 7] = [
    &["mcpServers"],
    &["servers"],
    &["mcp", "servers"],
    &["mcp", "mcpServers"],
    &["context_servers"],
    &["amp.mcpServers"],
    &["mcp"],
];
/// The table of projects, which have tables of servers of their own.
const PROJECTS: &str = "projects";
const CODEX: &str = "mcp_servers";
/// The table of Goose, and the list of Continue.
const YAML: [&[&str]; 2] = [&["extensions"], &["mcpServers"]];

/// A server of a configuration.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) pointer: String,
    pub(super) entry: Value,
}

/// Returns the servers: those of the user first, and then those of projects.
pub(super) fn servers(text: &str, format: Format) -> Result<Vec<Server>, Problem> {
    if text.len() > MAX_BYTES {
        let most = MAX_BYTES / 1024;
        return Err(Problem::new("", format!("the file is larger than {most} KiB")));
    }
    let (document, tables): (Value, &[&[&str]]) = match format {
        Format::Json => (json(text)?, &TABLES),
        Format::Toml => (toml(text)?, &[&[CODEX]]),
        Format::Yaml => (yaml(text)?, &YAML),
    };
    let pointer = |table: &[&str]| format!("/{}", table.join("/"));
    let found = tables.iter().map(|table| pointer(table));
    let found = found.filter_map(|pointer| Some((document.pointer(&pointer)?.clone(), pointer)));
    let mut all = None;
    let mut add = |found: Vec<Server>| all.get_or_insert_with(Vec::new).extend(found);
    match found.into_iter().next() {
        Some((Value::Object(servers), pointer)) => add(in_table(servers, &pointer)),
        Some((Value::Array(servers), pointer)) if format == Format::Yaml => {
            add(in_list(servers, &pointer));
        }
        Some((_, pointer)) => return Err(Problem::new(pointer, "expected a table of servers")),
        None => {}
    }
    let projects = document.get(PROJECTS).and_then(Value::as_object);
    for (folder, project) in projects.into_iter().flatten() {
        if let Some(servers) = project.get(TABLES[0][0]).and_then(Value::as_object)
            && !servers.is_empty()
        {
            let pointer = format!("/{PROJECTS}/{}/{}", escaped(folder), TABLES[0][0]);
            add(in_table(servers.clone(), &pointer));
        }
    }
    all.ok_or_else(|| {
        let expected: Vec<String> =
            tables.iter().map(|table| format!("`{}`", table.join("."))).collect();
        Problem::new("", format!("no servers; expected the key {}", expected.join(" or ")))
    })
}

fn in_table(servers: Map<String, Value>, pointer: &str) -> Vec<Server> {
    let server = |(name, entry): (String, Value)| {
        let pointer = format!("{pointer}/{}", escaped(&name));
        Server { name, pointer, entry }
    };
    servers.into_iter().map(server).collect()
}

/// The servers of a list, in which each has its name.
fn in_list(servers: Vec<Value>, pointer: &str) -> Vec<Server> {
    let server = |(at, entry): (usize, Value)| {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        Server { name, pointer: format!("{pointer}/{at}"), entry }
    };
    servers.into_iter().enumerate().map(server).collect()
}

/// JSON with comments and trailing commas, which VS Code and Cursor allow, and nothing else.
fn json(text: &str) -> Result<Value, Problem> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    jsonc_parser::parse_to_serde_value(text, &options)
        .map_err(|error| Problem::new("", format!("the file is not JSON: {error}")))
}

fn yaml(text: &str) -> Result<Value, Problem> {
    serde_yaml::from_str(text)
        .map_err(|error| Problem::new("", format!("the file is not YAML: {error}")))
}

fn toml(text: &str) -> Result<Value, Problem> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        Problem::new("", format!("the file is not TOML: {}", error.message()))
    })
}
