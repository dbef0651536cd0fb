//! The names under which arguments are listed. Anthropic refuses every request with a tool that has a property of another form
//! than `[a-zA-Z0-9_.-]{1,64}`.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolwrit_rows::Operation;
use toolwrit_text::hex::Hex;
use toolwrit_text::shorten::visible_line;

use super::ListedNames;

/// Characters of the longest name.
const LONGEST: usize = 64;
/// Characters of a name that is repeated in a description.
const MOST_SAID: usize = 200;

impl ListedNames {
    /// Lists the properties of a portable schema by names that all clients accept. Their descriptions say what the names were.
    pub fn list(schema: &mut Map<String, Value>) -> Self {
        list_within(schema, &[Operation::CONFIRM, Operation::FIELDS])
    }
}

fn list_within(schema: &mut Map<String, Value>, taken: &[&str]) -> ListedNames {
    let mut names = match schema.get_mut("items") {
        Some(Value::Object(items)) => ListedNames::of_items(list_within(items, &[])),
        _ => ListedNames::default(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return names };
    let listed = listed_names(properties, taken);
    let mut renamed = Map::new();
    for (name, mut field) in std::mem::take(properties) {
        let shown = listed.get(&name).cloned().unwrap_or_else(|| name.clone());
        if let Value::Object(field) = &mut field {
            let inner = list_within(field, &[]);
            if shown != name {
                describe(field, &name);
            }
            names.insert(shown.clone(), name, inner);
        }
        renamed.insert(shown, field);
    }
    *properties = renamed;
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        for name in required {
            if let Some(shown) = name.as_str().and_then(|name| listed.get(name)) {
                *name = shown.as_str().into();
            }
        }
    }
    names
}

/// The listed names of properties whose own names are not accepted.
fn listed_names(properties: &Map<String, Value>, taken: &[&str]) -> HashMap<String, String> {
    let others = properties.keys().filter(|name| !is_accepted(name));
    let plain: Vec<(&String, String)> = others.map(|name| (name, plain(name))).collect();
    let is_free = |wanted: &String| {
        let same = plain.iter().filter(|(_, other)| other == wanted).count();
        same == 1 && !properties.contains_key(wanted) && !taken.contains(&wanted.as_str())
    };
    let listed = plain.iter().map(|(name, wanted)| {
        let listed = if is_free(wanted) { wanted.clone() } else { distinct(wanted, name) };
        ((*name).clone(), listed)
    });
    listed.collect()
}

fn is_accepted(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_accepted_character)
}

fn is_accepted_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// The accepted characters of a name, with one `_` between them for others. A name of which too little is left, or that is too
/// long, ends in a digest.
fn plain(name: &str) -> String {
    let parts = name.split(|c| !is_accepted_character(c)).filter(|part| !part.is_empty());
    let plain = parts.collect::<Vec<_>>().join("_");
    let says_all = name.chars().all(|c| !c.is_alphanumeric() || is_accepted_character(c));
    if says_all && is_accepted(&plain) { plain } else { distinct(&plain, name) }
}

/// The begin of a plain name with a digest of the name.
fn distinct(plain: &str, name: &str) -> String {
    let digest = Sha256::digest(name);
    let digest = Hex(&digest[..4]).to_string();
    let begin = if plain.is_empty() { "argument" } else { plain };
    let most = LONGEST - digest.len() - 1;
    format!("{}_{digest}", &begin[..begin.len().min(most)])
}

fn describe(field: &mut Map<String, Value>, name: &str) {
    let said = field.get("description").and_then(Value::as_str).unwrap_or_default().trim_end();
    let space = if said.is_empty() { "" } else { " " };
    let name = visible_line(name, MOST_SAID);
    let description = format!("{said}{space}Sent as `{name}`.");
    field.insert("description".to_owned(), description.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_names_are_accepted_and_distinct() {
        let long = "x".repeat(70);
        let names = [
            "$filter",
            "filter",
            "@filter",
            "ids[]",
            "confirm[]",
            "",
            "a b",
            "a_b",
            "имя",
            "дом",
            "größe",
            "size",
            &long,
            "\u{200b}",
            "x.y-z",
            "/",
            "$select",
        ];
        let field = json!({ "type": "object", "properties": { "$in": {}, "in": {} } });
        let properties: Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), field.clone())).collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": names,
            "items": { "properties": { "$at": {} } },
        });
        let Value::Object(mut schema) = schema else { panic!("an object") };
        ListedNames::list(&mut schema);
        let listed = schema["properties"].as_object().unwrap();
        assert_eq!(listed.len(), names.len());
        assert!(listed.keys().all(|name| is_accepted(name)), "{listed:?}");
        assert!(!listed.contains_key("confirm"));
        for kept in ["filter", "a_b", "size", "x.y-z", "select", "ids"] {
            assert!(listed.contains_key(kept), "{kept}: {listed:?}");
        }
        let required: Vec<&str> =
            schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(required, listed.keys().collect::<Vec<_>>());
        assert!(listed["size"]["properties"]["in"].get("description").is_none());
        let inner: Vec<&String> =
            listed["size"]["properties"].as_object().unwrap().keys().collect();
        assert!(inner[0].starts_with("in_") && inner[1] == "in", "{inner:?}");
        assert_eq!(schema["items"]["properties"]["at"]["description"], "Sent as `$at`.");
    }
}
