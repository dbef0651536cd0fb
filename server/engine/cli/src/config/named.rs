//! Flags whose values have names: folders, and tables of the configuration file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Arg;
use clap::builder::ValueParser;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use toolwrit_core::folders;

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;

/// A path that may have a name: `PATH` or `NAME=PATH`. What precedes `=` is a name if it could be no part of a path: it has
/// none of `/`, `\` and `:`, and does not begin with `.` or `~`. In the configuration file, a relative path is relative to the
/// folder of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPath {
    /// The name, if one is given.
    pub name: Option<String>,
    /// The path, in which a first `~` is the user's home folder.
    pub path: PathBuf,
}

impl FromStr for NamedPath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, path) = named.map_or((None, text), |(name, path)| (Some(name), path));
        if path.is_empty() {
            return Err("expected PATH or NAME=PATH".to_owned());
        }
        Ok(Self { name: name.map(str::to_owned), path: folders::expanded(path.as_ref()) })
    }
}

impl NamedPath {
    /// Returns the value of the flag for the same path, if this one stands in a configuration file at `file`.
    pub(crate) fn resolved(&self, file: &Path) -> OsString {
        let folder = file.parent().unwrap_or_else(|| Path::new(""));
        self.with_path(folder.join(&self.path))
    }

    /// Returns the value of the flag for another path under the same name.
    pub(crate) fn with_path(&self, path: PathBuf) -> OsString {
        let mut value = OsString::new();
        if let Some(name) = &self.name {
            value.push(name);
            value.push("=");
        }
        value.push(path);
        value
    }
}

/// Whether a text can name a path.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().count() <= LONGEST_NAME
        && !text.starts_with(['.', '~'])
        && !text.contains(['/', '\\', ':'])
        && !text.contains(char::is_control)
        && text.trim() == text
}

/// A table of the configuration file: `[key.NAME]`. The flag that has it as a value is given as `NAME={..}`, with the table as
/// JSON. A member `path` that is relative is relative to the folder of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedTable {
    /// The name.
    pub name: String,
    values: Map<String, Value>,
}

impl NamedTable {
    /// Returns the parser of a flag whose tables have the members of `T`, which is a struct that refuses others.
    pub fn parser<T: DeserializeOwned>() -> ValueParser {
        ValueParser::from(|text: &str| {
            let table = Self::from_str(text)?;
            table.read::<T>().map(drop)?;
            Ok::<_, String>(table)
        })
    }

    /// Returns the members.
    ///
    /// # Errors
    /// Which member is unknown, missing, or of another type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(Value::Object(self.values.clone()))
            .map_err(|error| error.to_string())
    }
}

impl FromStr for NamedTable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, table) = text.split_once('=').ok_or("expected NAME={..}")?;
        if !is_name(name) {
            return Err(format!(
                "expected a name of at most {LONGEST_NAME} characters, without `/`, `\\`, `:` and `=`, which begins with neither \
                 `.` nor `~`"
            ));
        }
        let values = serde_json::from_str(table).map_err(|error| error.to_string())?;
        Ok(Self { name: name.to_owned(), values })
    }
}

/// Whether the values of a flag are paths that may have names.
pub(crate) fn has_named_paths(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == ValueParser::from(clap::value_parser!(NamedPath)).type_id()
}

/// Whether the values of a flag are tables of the configuration file.
pub(crate) fn has_tables(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == NamedTable::parser::<Value>().type_id()
}

#[cfg(test)]
mod tests {
    use super::NamedPath;

    #[test]
    fn a_name_is_what_could_be_no_part_of_a_path() {
        for (text, name, path) in [
            ("/notes", None, "/notes"),
            ("work=/notes", Some("work"), "/notes"),
            ("My notes=Documents/a=b", Some("My notes"), "Documents/a=b"),
            ("./a=b", None, "./a=b"),
            ("/a=b", None, "/a=b"),
            (r"C:\a=b", None, r"C:\a=b"),
            ("=x", None, "=x"),
        ] {
            let parsed: NamedPath = text.parse().unwrap();
            assert_eq!(
                (parsed.name.as_deref(), parsed.path.to_str()),
                (name, Some(path)),
                "{text}"
            );
        }
        for text in ["", "work="] {
            assert!(text.parse::<NamedPath>().is_err(), "{text}");
        }
    }
}
