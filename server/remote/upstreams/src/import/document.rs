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
const GOOSE: &str = "extensions";

/// The JSON pointer of servers, and their table.
type ServerTable = (String, Map<String, Value>);

/// Returns the tables of servers, each with its JSON pointer: that of the user first, and then those of projects.
pub(super) fn servers(text: &str, format: Format) -> Result<Vec<ServerTable>, Problem> {
    if text.len() > MAX_BYTES {
        let most = MAX_BYTES / 1024;
        return Err(Problem::new("", format!("the file is larger than {most} KiB")));
    }
    let (document, tables): (Value, &[&[&str]]) = match format {
        Format::Json => (json(text)?, &TABLES),
        Format::Toml => (toml(text)?, &[&[CODEX]]),
        Format::Yaml => (yaml(text)?, &[&[GOOSE]]),
    };
    let pointer = |table: &[&str]| format!("/{}", table.join("/"));
    let found = tables.iter().map(|table| pointer(table));
    let found = found.filter_map(|pointer| Some((document.pointer(&pointer)?.clone(), pointer)));
    let mut all = Vec::new();
    match found.into_iter().next() {
        Some((Value::Object(servers), pointer)) => all.push((pointer, servers)),
        Some((_, pointer)) => return Err(Problem::new(pointer, "expected a table of servers")),
        None => {}
    }
    let projects = document.get(PROJECTS).and_then(Value::as_object);
    for (folder, project) in projects.into_iter().flatten() {
        if let Some(servers) = project.get(TABLES[0][0]).and_then(Value::as_object)
            && !servers.is_empty()
        {
            let pointer = format!("/{PROJECTS}/{}/{}", escaped(folder), TABLES[0][0]);
            all.push((pointer, servers.clone()));
        }
    }
    if all.is_empty() {
        let expected: Vec<String> =
            tables.iter().map(|table| format!("`{}`", table.join("."))).collect();
        let what = format!("no servers; expected the key {}", expected.join(" or "));
        return Err(Problem::new("", what));
    }
    Ok(all)
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
