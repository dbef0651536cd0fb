//! One server of a configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Imported, Problem, Target, Template};

/// The longest timeout that is read, in seconds.
const LONGEST: f64 = 24.0 * 3600.0;

/// Reads a server.
///
/// # Errors
/// All its problems.
pub(super) fn read(name: &str, entry: &Value, pointer: &str) -> Result<Imported, Vec<Problem>> {
    let Value::Object(fields) = entry else {
        return Err(vec![Problem::new(pointer, "expected a table with `command` or `url`")]);
    };
    let mut reader = Reader { fields, pointer, problems: Vec::new() };
    if name.is_empty() || name.chars().any(char::is_control) {
        reader.problem(None, "the name is empty or has control characters");
    }
    let target = reader.target();
    let imported = target.map(|target| Imported {
        name: name.to_owned(),
        target,
        disabled: reader.flag("disabled").unwrap_or(false)
            || !reader.flag("enabled").unwrap_or(true),
        start_timeout: reader.seconds("startup_timeout_sec"),
        call_timeout: reader.seconds("tool_timeout_sec"),
    });
    match imported {
        Some(imported) if reader.problems.is_empty() => Ok(imported),
        _ => Err(reader.problems),
    }
}

/// Reads the fields of a server, and collects problems.
struct Reader<'a> {
    fields: &'a Map<String, Value>,
    pointer: &'a str,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, field: Option<&str>, message: impl Into<String>) {
        let field = field.map(|field| format!("/{field}")).unwrap_or_default();
        self.problems.push(Problem::new(format!("{}{field}", self.pointer), message));
    }

    fn target(&mut self) -> Option<Target> {
        // The fields say what it is, whatever its `type`.
        for unsupported in ["envFile", "env_vars"] {
            if self.fields.contains_key(unsupported) {
                self.problem(
                    Some(unsupported),
                    "is not supported; write the variables to `env`, as `${NAME}`",
                );
            }
        }
        match (self.fields.contains_key("command"), self.url_field()) {
            (true, None) => self.command(),
            (false, Some(field)) => self.remote(field),
            (true, Some(_)) => {
                self.problem(None, "has both `command` and `url`; expected one of them");
                None
            }
            (false, None) => {
                self.problem(None, "has neither `command` nor `url`; expected one of them");
                None
            }
        }
    }

    fn url_field(&self) -> Option<&'static str> {
        ["url", "serverUrl", "httpUrl"].into_iter().find(|field| self.fields.contains_key(*field))
    }

    fn command(&mut self) -> Option<Target> {
        let program = self.text("command");
        let arguments = self.texts("args");
        let environment = self.table("env");
        let directory = self.fields.contains_key("cwd").then(|| self.text("cwd")).flatten();
        Some(Target::Command { program: program?, arguments, environment, directory })
    }

    fn remote(&mut self, field: &str) -> Option<Target> {
        let url = self.text(field);
        let mut headers = self.table("headers");
        headers.append(&mut self.table("http_headers"));
        for (header, name) in self.names("env_http_headers") {
            headers.insert(header, Template::variable(&name));
        }
        if let Some(name) = self.fields.get("bearer_token_env_var") {
            match name.as_str() {
                Some(name) => {
                    let value = Template::variable(name).after("Bearer ");
                    headers.insert("Authorization".to_owned(), value);
                }
                None => self.problem(Some("bearer_token_env_var"), "expected a text"),
            }
        }
        Some(Target::Remote { url: url?, headers })
    }

    fn text(&mut self, field: &str) -> Option<Template> {
        let value = self.fields.get(field)?.clone();
        if value.as_str() == Some("") {
            self.problem(Some(field), "is empty");
            return None;
        }
        self.template(field, &value)
    }

    /// A text, or a number or truth value, which some programs write without quotes.
    fn template(&mut self, field: &str, value: &Value) -> Option<Template> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => {
                self.problem(Some(field), "expected a text");
                return None;
            }
        };
        if text.contains('\0') {
            self.problem(Some(field), "has a NUL character");
            return None;
        }
        Template::parse(&text).map_err(|message| self.problem(Some(field), message)).ok()
    }

    fn texts(&mut self, field: &str) -> Vec<Template> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => {
                let items = items.clone();
                let items = items.iter().enumerate();
                items.filter_map(|(n, item)| self.template(&format!("{field}/{n}"), item)).collect()
            }
            Some(_) => {
                self.problem(Some(field), "expected a list of texts");
                Vec::new()
            }
        }
    }

    fn table(&mut self, field: &str) -> BTreeMap<String, Template> {
        let mut table = BTreeMap::new();
        match self.fields.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::Object(fields)) => {
                for (name, value) in fields {
                    if name.is_empty() || name.contains(['=', '\0']) {
                        self.problem(Some(field), "a name is empty, or contains `=` or NUL");
                        continue;
                    }
                    let field = format!("{field}/{}", escaped(name));
                    let value = self.template(&field, value);
                    table.extend(value.map(|value| (name.clone(), value)));
                }
            }
            Some(_) => self.problem(Some(field), "expected a table of texts"),
        }
        table
    }

    /// A table whose values are names of variables.
    fn names(&mut self, field: &str) -> Vec<(String, String)> {
        let Some(value) = self.fields.get(field) else { return Vec::new() };
        let names = value.as_object().and_then(|names| {
            names.iter().map(|(key, name)| Some((key.clone(), name.as_str()?.to_owned()))).collect()
        });
        names.unwrap_or_else(|| {
            self.problem(Some(field), "expected a table of names of variables");
            Vec::new()
        })
    }

    fn flag(&mut self, field: &str) -> Option<bool> {
        let value = self.fields.get(field)?;
        let flag = value.as_bool();
        if flag.is_none() {
            self.problem(Some(field), "expected true or false");
        }
        flag
    }

    fn seconds(&mut self, field: &str) -> Option<Duration> {
        let value = self.fields.get(field)?;
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
        if seconds.is_none() {
            self.problem(Some(field), "expected a number of seconds, of at most a day");
        }
        seconds.map(Duration::from_secs_f64)
    }
}

/// A key within a JSON pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
