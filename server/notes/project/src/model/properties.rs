//! The frontmatter of a note as the properties of fields.

use toolwrit_frontmatter::{self as frontmatter, FrontmatterBlock, Properties};

use super::field::Field;
use super::words::Words;

/// The properties of a note. People write `@name` without quotes, which is no YAML.
pub(super) fn read_properties(text: &str) -> Result<Properties, (usize, String)> {
    frontmatter::read(text).or_else(|error| {
        let quoted = quote_names(text).and_then(|quoted| frontmatter::read(&quoted).ok());
        quoted.ok_or((error.line, error.reason))
    })
}

/// The text with quotes around values that begin with `@`; `None` if there are none.
fn quote_names(text: &str) -> Option<String> {
    let block = FrontmatterBlock::find(text)?;
    let yaml = block.yaml.slice(text);
    let quote = |line: &str| {
        let at = line.find('@').filter(|at| {
            let before = line[..*at].trim_end();
            before.ends_with(':') || before.ends_with('-')
        });
        match at {
            Some(at) => format!("{}'{}'", &line[..at], line[at..].trim_end().replace('\'', "''")),
            None => line.to_owned(),
        }
    };
    let lines: Vec<String> = yaml.split('\n').map(quote).collect();
    let (start, end) = (block.yaml.start, block.yaml.end);
    let quoted = lines.join("\n");
    (quoted != yaml).then(|| format!("{}{quoted}{}", &text[..start], &text[end..]))
}

/// Whether invalid frontmatter has the id or the type of an entity.
pub(super) fn looks_like_entity(text: &str, words: &Words) -> bool {
    let Some(block) = FrontmatterBlock::find(text) else { return false };
    block.yaml.slice(text).lines().any(|line| {
        let Some((key, value)) = line.split_once(':') else { return false };
        let value = value.trim().trim_matches(['"', '\'']);
        match words.field(key.trim()) {
            Some(Field::Id) => words.parse_id(value).is_ok(),
            Some(Field::Type) => words.kind_of_type(value).is_some(),
            _ => false,
        }
    })
}

/// Properties with those of fields under the names of the fields, and their names in the note.
pub(super) fn to_fields(raw: Properties, words: &Words) -> (Properties, Vec<(Field, String)>) {
    if words.are_usual() {
        return (raw, Vec::new());
    }
    let mut names = Vec::new();
    for field in Field::ALL {
        let known = words.properties(field);
        let has = |name: &&&str| raw.get(**name).is_some_and(|value| !value.is_null());
        let found =
            known.iter().find(has).or_else(|| known.iter().find(|name| raw.contains_key(**name)));
        if let Some(name) = found.filter(|name| **name != field.name()) {
            names.push((field, (*name).to_owned()));
        }
    }
    let mut properties = Properties::new();
    for (name, value) in raw {
        match names.iter().find(|(_, own)| *own == name) {
            Some((field, _)) => drop(properties.insert(field.name().to_owned(), value)),
            // The field has another name here, so that this is a property of the team's own.
            None if Field::from_name(&name)
                .is_some_and(|field| !words.properties(field).contains(&name.as_str())) => {}
            None => {
                properties.entry(name).or_insert(value);
            }
        }
    }
    (properties, names)
}

/// The lines of the fields in the frontmatter, from 1.
pub(super) fn field_lines(text: &str, words: &Words) -> Vec<(Field, usize)> {
    let Some(block) = FrontmatterBlock::find(text) else { return Vec::new() };
    let first = text[..block.yaml.start].matches('\n').count() + 1;
    let field = |line: &str| {
        let (key, _) = line.split_once(':')?;
        words.field(key.trim_end().trim_matches(['"', '\'']))
    };
    let lines = block.yaml.slice(text).lines().zip(first..);
    lines.filter_map(|(line, number)| Some((field(line)?, number))).collect()
}
