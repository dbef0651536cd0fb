//! Finds the table of servers in a configuration.

use jsonc_parser::ParseOptions;
use serde_json::{Map, Value};

use super::{Format, MAX_BYTES, Problem};

/// The tables of servers in JSON, and the programs that have them.
const TABLES: [&[&str]; 4] =
    [&["mcpServers"], &["servers"], &["mcp", "servers"], &["mcp", "mcpServers"]];
const CODEX: &str = "mcp_servers";

/// Returns the table of servers, and its JSON pointer.
pub(super) fn servers(text: &str, format: Format) -> Result<(String, Map<String, Value>), Problem> {
    if text.len() > MAX_BYTES {
        let most = MAX_BYTES / 1024;
        return Err(Problem::new("", format!("the file is larger than {most} KiB")));
    }
    let (document, tables): (Value, &[&[&str]]) = match format {
        Format::Json => (json(text)?, &TABLES),
        Format::Toml => (toml(text)?, &[&[CODEX]]),
    };
    let pointer = |table: &[&str]| format!("/{}", table.join("/"));
    let found = tables.iter().map(|table| pointer(table));
    let found = found.filter_map(|pointer| Some((document.pointer(&pointer)?.clone(), pointer)));
    match found.into_iter().next() {
        Some((Value::Object(servers), pointer)) => Ok((pointer, servers)),
        Some((_, pointer)) => Err(Problem::new(pointer, "expected a table of servers")),
        None => {
            let expected: Vec<String> =
                tables.iter().map(|table| format!("`{}`", table.join("."))).collect();
            Err(Problem::new("", format!("no servers; expected the key {}", expected.join(" or "))))
        }
    }
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

fn toml(text: &str) -> Result<Value, Problem> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        Problem::new("", format!("the file is not TOML: {}", error.message()))
    })
}
