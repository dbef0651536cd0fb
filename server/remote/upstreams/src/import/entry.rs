//! One server of a configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};

use super::forms::as_others;
use super::template;
use super::{Imported, Login, Problem, Target, Template, Variables};

/// The longest timeout that is read, in seconds.
const LONGEST: f64 = 24.0 * 3600.0;

/// What says nothing that is needed: names for people, and the kind of transport, which the other fields tell.
const IGNORED: [&str; 12] = [
    "$schema",
    "bundled",
    "description",
    "display_name",
    "faviconUrl",
    "gallery",
    "name",
    "source",
    "transport",
    "transportType",
    "type",
    "version",
];
/// The names of the program, and of the list with its arguments.
const COMMANDS: [&str; 2] = ["command", "cmd"];
const URLS: [&str; 4] = ["url", "serverUrl", "httpUrl", "uri"];
const ENVIRONMENTS: [&str; 3] = ["env", "environment", "envs"];
/// The only tools, and those that are switched off.
const ONLY: [&str; 4] = ["enabled_tools", "includeTools", "available_tools", "tools"];
const EXCEPT: [&str; 3] = ["disabled_tools", "excludeTools", "disabledTools"];
/// Other fields that are read.
const READ: [&str; 15] = [
    "args",
    "bearer_token_env_var",
    "connectionTimeout",
    "cwd",
    "disabled",
    "enabled",
    "env_http_headers",
    "env_vars",
    "headers",
    "http_headers",
    "oauth",
    "startup_timeout_ms",
    "startup_timeout_sec",
    "timeout",
    "tool_timeout_sec",
];

/// Reads a server.
///
/// # Errors
/// All its problems.
pub(super) fn read(
    name: &str,
    entry: &Value,
    pointer: &str,
    variables: Variables,
) -> Result<Imported, Vec<Problem>> {
    let Value::Object(fields) = entry else {
        return Err(vec![Problem::new(pointer, "expected a table with `command` or `url`")]);
    };
    let fields = &as_others(fields, pointer);
    let mut reader = Reader { fields, pointer, variables, problems: Vec::new() };
    if name.is_empty() || name.chars().any(char::is_control) {
        reader.problem(None, "the name is empty or has control characters");
    }
    let target = reader.target();
    let start = reader.seconds("startup_timeout_sec", 1.0);
    let call = reader.seconds("tool_timeout_sec", 1.0);
    let imported = target.map(|target| Imported {
        name: name.to_owned(),
        target,
        disabled: reader.flag("disabled").unwrap_or(false)
            || !reader.flag("enabled").unwrap_or(true),
        start_timeout: start
            .or_else(|| reader.seconds("startup_timeout_ms", 0.001))
            .or_else(|| reader.seconds("connectionTimeout", 0.001)),
        call_timeout: call.or_else(|| reader.timeout()),
        only: reader.tools(&ONLY).filter(|tools| !tools.iter().any(|tool| tool == "*")),
        except: reader.tools(&EXCEPT).unwrap_or_default(),
        login: reader.login(),
        left_out: reader.left_out(),
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
    variables: Variables,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn problem(&mut self, field: Option<&str>, message: impl Into<String>) {
        let field = field.map(|field| format!("/{field}")).unwrap_or_default();
        self.problems.push(Problem::new(format!("{}{field}", self.pointer), message));
    }

    /// The first of several names that is a field.
    fn named(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| self.fields.contains_key(*name))
    }

    fn target(&mut self) -> Option<Target> {
        // The fields say what it is, whatever its `type`.
        if self.fields.contains_key("envFile") {
            let what = "is not supported; write the variables to `env`, as `${NAME}`";
            self.problem(Some("envFile"), what);
        }
        match (self.named(&COMMANDS), self.named(&URLS)) {
            (Some(field), None) => self.command(field),
            (None, Some(field)) => self.remote(field),
            (Some(_), Some(_)) => {
                self.problem(None, "has both `command` and `url`; expected one of them");
                None
            }
            (None, None) => {
                self.problem(None, "has neither `command` nor `url`; expected one of them");
                None
            }
        }
    }

    fn command(&mut self, field: &'static str) -> Option<Target> {
        if !self.fields.get(field).is_some_and(Value::is_string) {
            self.problem(Some(field), "expected a text");
            return None;
        }
        let mut arguments = self.texts("args");
        let program = match self.line(field) {
            Some(words) => {
                let mut words =
                    words.iter().map(|word| self.template(field, &word.as_str().into()));
                let program = words.next()?;
                arguments = words.collect::<Option<_>>()?;
                program
            }
            None => self.text(field),
        };
        let mut environment = BTreeMap::new();
        for name in ENVIRONMENTS {
            environment.append(&mut self.table(name));
        }
        for name in self.forwarded() {
            environment.insert(name.clone(), Template::variable(&name));
        }
        let directory = self.fields.contains_key("cwd").then(|| self.text("cwd")).flatten();
        Some(Target::Command { program: program?, arguments, environment, directory })
    }

    /// A program and its arguments that are written as one text; `None` if the text is the path of a program.
    fn line(&self, field: &str) -> Option<Vec<String>> {
        let text = self.fields.get(field)?.as_str()?;
        let has_arguments =
            self.fields.get("args").and_then(Value::as_array).is_some_and(|args| !args.is_empty());
        if has_arguments
            || !text.trim().contains(' ')
            || text.contains('\\')
            || Path::new(text).exists()
        {
            return None;
        }
        shlex::split(text).filter(|words| words.len() > 1)
    }

    /// The names of variables of ours that a program gets.
    fn forwarded(&mut self) -> Vec<String> {
        let Some(value) = self.fields.get("env_vars") else { return Vec::new() };
        let name = |value: &Value| match value {
            Value::Object(table) => table.get("name").and_then(Value::as_str).map(str::to_owned),
            other => other.as_str().map(str::to_owned),
        };
        let names = value.as_array().and_then(|names| names.iter().map(name).collect());
        names.unwrap_or_else(|| {
            self.problem(Some("env_vars"), "expected a list of names of variables");
            Vec::new()
        })
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

    /// The names of tools in the first of these fields.
    fn tools(&mut self, fields: &[&'static str]) -> Option<Vec<String>> {
        let field = self.named(fields)?;
        let value = self.fields.get(field).filter(|value| !value.is_null())?;
        let names = value.as_array().and_then(|names| {
            names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        if names.is_none() {
            self.problem(Some(field), "expected a list of names of tools");
        }
        // An empty list of Goose and Kiro switches nothing off, and one of `tools` leaves none.
        names.filter(|names| !names.is_empty() || field == "tools" || field == "enabled_tools")
    }

    fn login(&mut self) -> Option<Login> {
        let table = self.fields.get("oauth")?.as_object()?;
        let text = |keys: [&str; 2]| {
            keys.iter().find_map(|key| table.get(*key)).and_then(|value| match value {
                Value::String(text) => Some(text.clone()),
                Value::Array(texts) => {
                    let texts: Option<Vec<&str>> = texts.iter().map(Value::as_str).collect();
                    Some(texts?.join(" "))
                }
                _ => None,
            })
        };
        let port = table.get("callbackPort").and_then(Value::as_u64);
        Some(Login {
            client_id: text(["clientId", "client_id"]),
            port: port.and_then(|port| u16::try_from(port).ok()),
            scope: text(["scopes", "scope"]),
        })
    }

    /// The fields that nothing here reads.
    fn left_out(&self) -> Vec<Problem> {
        let all = [&COMMANDS[..], &URLS, &ENVIRONMENTS, &ONLY, &EXCEPT, &READ, &IGNORED].concat();
        let mut left_out: Vec<Problem> = Vec::new();
        let mut add = |field: String| {
            left_out.push(Problem::new(format!("{}/{field}", self.pointer), "is not supported"));
        };
        self.fields
            .keys()
            .filter(|key| !all.contains(&key.as_str()))
            .for_each(|key| add(escaped(key)));
        if let Some(Value::Object(oauth)) = self.fields.get("oauth") {
            let known = ["clientId", "client_id", "callbackPort", "scopes", "scope", "enabled"];
            let unknown = oauth.keys().filter(|key| !known.contains(&key.as_str()));
            unknown.for_each(|key| add(format!("oauth/{}", escaped(key))));
        }
        left_out
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
        let text = match self.variables {
            Variables::Braced => text,
            Variables::Bare => template::braced(&text),
        };
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

    /// A time in a unit of so many seconds.
    fn seconds(&mut self, field: &str, unit: f64) -> Option<Duration> {
        let value = self.fields.get(field)?;
        let seconds = value.as_f64().map(|number| number * unit);
        let seconds = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
        if seconds.is_none() {
            let unit = if unit < 1.0 { "milliseconds" } else { "seconds" };
            self.problem(Some(field), format!("expected a number of {unit}, of at most a day"));
        }
        seconds.map(Duration::from_secs_f64)
    }

    /// The time for a call. Some programs write seconds, and others milliseconds, of which nobody allows less than a second.
    fn timeout(&mut self) -> Option<Duration> {
        let number = self.fields.get("timeout").filter(|value| !value.is_null())?.as_f64();
        let unit = if number.is_some_and(|number| number >= 1000.0) { 0.001 } else { 1.0 };
        self.seconds("timeout", unit)
    }
}

/// A key within a JSON pointer.
pub(super) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
