//! Reads the files of clients, each in the syntax that its client accepts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use serde_json::Value;

use super::Client;

/// The mark at the start of a file that some editors write.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
/// The places of a program's words in an entry.
const COMMANDS: [&str; 2] = ["command", "cmd"];
const ENVIRONMENTS: [&str; 3] = ["env", "environment", "envs"];
const HEADERS: [&str; 3] = ["/headers", "/http_headers", "/requestOptions/headers"];
const URLS: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];
/// The longest file that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The syntax of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON, with what its client accepts besides.
    Json {
        comments: bool,
        trailing_commas: bool,
    },
    Toml,
    Yaml,
}

impl Syntax {
    /// The options of the parser of JSON: what clients accept, and nothing else.
    pub(crate) fn json_options(self) -> ParseOptions {
        let (comments, trailing_commas) = match self {
            Self::Json { comments, trailing_commas } => (comments, trailing_commas),
            Self::Toml | Self::Yaml => (false, false),
        };
        ParseOptions {
            allow_comments: comments,
            allow_trailing_commas: trailing_commas,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        }
    }

    /// Parses a text. One without a value is `null`.
    ///
    /// # Errors
    /// Where it is wrong.
    pub(crate) fn parse(self, text: &str) -> Result<Value, String> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        match self {
            Self::Json { comments: false, trailing_commas: false } => {
                serde_json::from_str(text).map_err(|error| error.to_string())
            }
            Self::Json { .. } => {
                let value: Option<Value> =
                    jsonc_parser::parse_to_serde_value(text, &self.json_options())
                        .map_err(|error| error.to_string())?;
                Ok(value.unwrap_or_default())
            }
            Self::Toml => toml::from_str(text).map_err(|error| error.message().to_owned()),
            Self::Yaml => serde_yaml::from_str(text).map_err(|error| error.to_string()),
        }
    }
}

/// A server of a client's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The project to which it is restricted within a file of the user.
    pub(crate) project: Option<PathBuf>,
    pub(crate) target: Target,
    /// The variables that its client sets.
    pub(crate) environment: BTreeMap<String, String>,
    /// The headers that its client sends.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) is_disabled: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A program and its arguments.
    Command(Vec<String>),
    /// Its address over HTTP.
    Url(String),
}

impl Client {
    /// Reads a file of it.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn read(&self, file: &Path) -> Result<Value, String> {
        let size = std::fs::metadata(file).map_err(|error| error.to_string())?.len();
        if size > MAX_BYTES {
            return Err(format!("it has more than {MAX_BYTES} bytes"));
        }
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        self.syntax(file).parse(&text)
    }

    /// The servers of a document of it: those of the user, and those of single projects.
    pub(crate) fn entries(&self, document: &Value) -> Vec<Entry> {
        if let Some(listed) = document.get(&self.servers).and_then(Value::as_array) {
            let name = |entry: &Value| entry.get("name")?.as_str().map(str::to_owned);
            return listed.iter().filter_map(|value| entry(name(value)?, value, None)).collect();
        }
        let table = |value: &Value, project: Option<&str>| -> Vec<Entry> {
            let servers = value.get(&self.servers).and_then(Value::as_object);
            let servers = servers.into_iter().flatten();
            servers.filter_map(|(name, value)| entry(name.clone(), value, project)).collect()
        };
        let projects = document.get("projects").and_then(Value::as_object).into_iter().flatten();
        let of_projects = projects.flat_map(|(folder, value)| table(value, Some(folder)));
        table(document, None).into_iter().chain(of_projects).collect()
    }
}

fn entry(name: String, value: &Value, project: Option<&str>) -> Option<Entry> {
    let is = |key: &str, wanted: bool| value.get(key).and_then(Value::as_bool) == Some(wanted);
    let url = || URLS.iter().find_map(|key| value.get(*key)?.as_str());
    let target = match words(value) {
        Some(words) => Target::Command(words),
        None => Target::Url(url()?.to_owned()),
    };
    let environment = ENVIRONMENTS.iter().find_map(|key| value.get(*key));
    let headers = HEADERS.iter().find_map(|pointer| value.pointer(pointer));
    let mut headers = headers.map(texts).unwrap_or_default();
    if let Some(variable) = value.get("bearer_token_env_var").and_then(Value::as_str) {
        headers.insert("Authorization".to_owned(), format!("Bearer ${{{variable}}}"));
    }
    Some(Entry {
        environment: environment.map(texts).unwrap_or_default(),
        headers,
        name,
        project: project.map(PathBuf::from),
        target,
        is_disabled: is("disabled", true) || is("enabled", false),
    })
}

/// The texts of a table.
fn texts(table: &Value) -> BTreeMap<String, String> {
    let table = table.as_object().into_iter().flatten();
    table.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// The program and its arguments: `command: "x", args: [..]`, `command: ["x", ..]`, or `command: {path, args}`.
fn words(value: &Value) -> Option<Vec<String>> {
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let with_arguments = |program: &str, arguments: Option<&Value>| {
        std::iter::once(program.to_owned())
            .chain(arguments.map(texts).unwrap_or_default())
            .collect()
    };
    match COMMANDS.iter().find_map(|key| value.get(*key))? {
        Value::String(program) => Some(with_arguments(program, value.get("args"))),
        Value::Object(command) => {
            Some(with_arguments(command.get("path")?.as_str()?, command.get("args")))
        }
        list => Some(texts(list)).filter(|words| !words.is_empty()),
    }
}
