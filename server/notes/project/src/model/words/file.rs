//! The file with a team's words, and those of other programs.

use serde_json::{Map, Value as Json};
use toolwrit_frontmatter as frontmatter;

use super::{TypeRule, Words};
use crate::model::alternatives::join_alternatives;
use crate::model::field::Field;
use crate::model::id::Prefix;
use crate::model::kind::EntityKind;
use crate::model::status::{Priority, StatusKind};

/// The folder of the file, below that of a workspace.
pub(crate) const FOLDER: &str = ".toolwrit";
/// The name of the file.
pub(crate) const FILE: &str = "project.yaml";
/// Most bytes of the file.
pub(crate) const LIMIT: u64 = 64 * 1024;

/// The layouts of other programs, written as a team writes its own.
const PRESETS: [(&str, &str); 4] = [
    ("toolwrit", ""),
    ("predecessor", include_str!("presets/predecessor.yaml")),
    ("backlog", include_str!("presets/backlog.yaml")),
    ("tasknotes", include_str!("presets/tasknotes.yaml")),
];

/// The keys of the file.
const KEYS: [&str; 10] = [
    "preset",
    "statuses",
    "priorities",
    "properties",
    "prefixes",
    "types",
    "folders",
    "names",
    "archive",
    "own",
];

impl Words {
    /// The words in the text of a file.
    ///
    /// # Errors
    /// What is wrong, and what was expected.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut words = Self::default();
        words.read(text, true)?;
        Ok(words)
    }

    /// Adds the words of a file. Its statuses and priorities come before those that are known.
    fn read(&mut self, text: &str, may_have_preset: bool) -> Result<(), String> {
        let keys = frontmatter::parse(text)
            .map_err(|error| format!("line {}: {}", error.line, error.reason))?;
        if let Some(key) = keys.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(format!("`{key}`: expected {}", join_alternatives(&KEYS)));
        }
        if let Some(preset) = keys.get("preset").filter(|_| may_have_preset) {
            let names = PRESETS.map(|(name, _)| name);
            let known = PRESETS.iter().find(|(name, _)| preset.as_str() == Some(name));
            let expected = || format!("`preset`: expected {}", join_alternatives(&names));
            let (_, text) = known.ok_or_else(expected)?;
            self.read(text, false)?;
        }
        self.read_values(&keys)?;
        self.read_properties(&keys)?;
        self.read_ids(&keys)?;
        self.read_places(&keys)
    }

    /// Reads the words for statuses and priorities.
    fn read_values(&mut self, keys: &Map<String, Json>) -> Result<(), String> {
        let mut statuses = Vec::new();
        for (word, value) in map(keys, "statuses")? {
            let meaning = StatusKind::MAPPED
                .into_iter()
                .find(|kind| value.as_str() == Some(kind.name()))
                .ok_or_else(|| {
                    wrong("statuses", word, &StatusKind::MAPPED.map(StatusKind::name))
                })?;
            statuses.push((word.clone(), meaning));
        }
        statuses.append(&mut self.statuses);
        self.statuses = statuses;
        let mut priorities = Vec::new();
        for (word, value) in map(keys, "priorities")? {
            let expected = ["critical", "high", "medium", "low", "none"];
            let name = value.as_str().unwrap_or_default();
            let priority = Priority::from_name(name);
            if priority.is_none() && name != "none" {
                return Err(wrong("priorities", word, &expected));
            }
            priorities.push((word.clone(), priority));
        }
        priorities.append(&mut self.priorities);
        self.priorities = priorities;
        Ok(())
    }

    /// Reads the properties of fields, and those of the team's own.
    fn read_properties(&mut self, keys: &Map<String, Json>) -> Result<(), String> {
        for (name, value) in map(keys, "properties")? {
            let field = Field::from_name(name).filter(|field| *field != Field::Id);
            let names = Field::ALL.map(Field::name);
            let field = field.ok_or_else(|| {
                format!("`properties` has `{name}`; expected {}", join_alternatives(&names))
            })?;
            let names =
                if value.is_null() { Vec::new() } else { texts(value, "properties", name)? };
            if names.iter().any(|own| own != name && Field::from_name(own).is_some()) {
                return Err(format!(
                    "`properties` has `{name}`: the other name is that of a field"
                ));
            }
            self.properties.insert(field, names);
        }
        if let Some(own) = keys.get("own") {
            self.own.extend(texts(own, "own", "own")?);
        }
        Ok(())
    }

    /// Reads the prefixes of ids, and what makes a note an entity.
    fn read_ids(&mut self, keys: &Map<String, Json>) -> Result<(), String> {
        for (name, value) in map(keys, "prefixes")? {
            let kind = kind(name, "prefixes")?;
            let digits = self.ids.prefix(kind).map_or(3, Prefix::digits);
            let prefix = |text: &String| {
                Prefix::of_example(text, digits)
                    .ok_or_else(|| format!("`prefixes` has `{text}`; expected letters, or T-001"))
            };
            let prefixes = texts(value, "prefixes", name)?;
            let prefixes: Vec<Prefix> = prefixes.iter().map(prefix).collect::<Result<_, _>>()?;
            self.ids.set_prefixes(kind, &prefixes);
            self.has_own_ids = true;
        }
        let mut types = Vec::new();
        for (name, value) in map(keys, "types")? {
            let text = value.as_str().unwrap_or_default();
            let kind = kind(text, "types")?;
            let rule = match (name.strip_prefix('#'), name.strip_suffix('/')) {
                (Some(tag), _) => TypeRule::Tag(tag.to_owned()),
                (_, Some(folder)) => TypeRule::Folder(folder.trim_start_matches('/').to_owned()),
                _ => TypeRule::Word(name.clone()),
            };
            types.push((rule, kind));
        }
        types.append(&mut self.types);
        self.types = types;
        Ok(())
    }

    /// Reads where notes are, and how they are named.
    fn read_places(&mut self, keys: &Map<String, Json>) -> Result<(), String> {
        for (name, value) in map(keys, "folders")? {
            let kind = kind(name, "folders")?;
            let folder = value.as_str().unwrap_or_default().trim_matches('/').to_owned();
            if folder.is_empty() || folder.split('/').any(|name| name.starts_with('.')) {
                return Err(format!(
                    "`folders` has `{name}`: expected a folder below the project's"
                ));
            }
            self.folders.insert(kind, folder);
        }
        if let Some(names) = keys.get("names") {
            let names = names.as_str().filter(|names| names.contains('{') && !names.contains('/'));
            let expected = "`names`: expected a name with {id}, {id-lower}, {title}, {title-dashes} or {title_underscores}";
            let names = names.ok_or_else(|| expected.to_owned())?;
            names.clone_into(&mut self.names);
        }
        if let Some(archive) = keys.get("archive") {
            let folders = texts(archive, "archive", "archive")?;
            self.archive =
                folders.iter().map(|folder| folder.trim_matches('/').to_owned()).collect();
        }
        Ok(())
    }
}

/// The members of a key that is a map.
fn map<'a>(
    keys: &'a Map<String, Json>,
    key: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Json)>, String> {
    match keys.get(key) {
        None | Some(Json::Null) => Ok(None.into_iter().flatten()),
        Some(Json::Object(map)) => Ok(Some(map).into_iter().flatten()),
        Some(_) => Err(format!("`{key}`: expected a map, such as `{{ Done: done }}`")),
    }
}

/// A text, or a list of them.
fn texts(value: &Json, key: &str, name: &str) -> Result<Vec<String>, String> {
    let text = |value: &Json| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let all = match value {
        Json::Array(values) => values.iter().map(text).collect::<Option<Vec<_>>>(),
        value => text(value).map(|text| vec![text]),
    };
    let all = all.filter(|all| !all.is_empty());
    all.ok_or_else(|| format!("`{key}` has `{name}`: expected a text, or a list of texts"))
}

fn kind(name: &str, key: &str) -> Result<EntityKind, String> {
    EntityKind::from_name(name).ok_or_else(|| {
        let names = EntityKind::ALL.map(EntityKind::name);
        format!("`{key}` has `{name}`; expected {}", join_alternatives(&names))
    })
}

fn wrong(key: &str, word: &str, expected: &[&str]) -> String {
    format!("`{key}` has `{word}`: expected {}", join_alternatives(expected))
}
