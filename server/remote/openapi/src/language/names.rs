//! Names in the style of the manifest language.

use std::collections::HashSet;

use toolwrit_text::capitalise;
use unicode_ident::{is_xid_continue, is_xid_start};

/// The words of a name: `getIssueByID`, `get-issue by_id` and `Get Issue` are split where their style shows it.
pub(crate) fn split_words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().take(400).collect();
    let mut words = vec![String::new()];
    for (at, c) in characters.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1);
        let begins = c.is_ascii_uppercase()
            && (before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
                || (before.is_some_and(|c| c.is_ascii_uppercase())
                    && after.is_some_and(char::is_ascii_lowercase)
                    && characters.get(at + 2).is_none_or(char::is_ascii_lowercase)));
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn join_words(words: &[String], separator: &str, otherwise: &str, most: usize) -> String {
    let mut name = String::new();
    for word in words {
        let length = name.len() + separator.len() + word.len();
        if !name.is_empty() && length > most {
            break;
        }
        if !name.is_empty() {
            name.push_str(separator);
        }
        name.push_str(&word[..word.len().min(most)]);
    }
    if name.is_empty() {
        return otherwise.to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("x{name}") } else { name }
}

/// Writes a name in `snake_case`, as parameters, fields and operations have it.
pub(crate) fn to_snake_case(name: &str, otherwise: &str, most: usize) -> String {
    match join_words(&split_words(name), "_", otherwise, most).as_str() {
        // Words that the language reserves.
        "self" => "self_link".to_owned(),
        name @ ("super" | "crate") => format!("{name}_value"),
        name => name.to_owned(),
    }
}

/// Writes a name in `kebab-case`, as categories and providers have it.
pub(crate) fn to_kebab_case(name: &str, otherwise: &str, most: usize) -> String {
    match join_words(&split_words(name), "-", otherwise, most).as_str() {
        // Modules of the generated code, and a tool of the engine.
        name @ ("self" | "super" | "crate" | "types" | "errors" | "resources" | "prompts"
        | "discover") => format!("{name}-api"),
        name => name.to_owned(),
    }
}

/// Writes a name in `UpperCamelCase`, as types have it.
pub(crate) fn to_camel_case(name: &str) -> String {
    const MOST: usize = 60;
    let mut camel = String::new();
    for word in split_words(name) {
        let word = &word[..word.len().min(MOST)];
        if camel.len() + word.len() > MOST {
            break;
        }
        let (first, rest) = word.split_at(1);
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    if !camel.starts_with(|c: char| c.is_ascii_uppercase()) {
        camel.insert(0, 'T');
    }
    // Names of Rust's prelude would be confusing in a handler.
    let is_known =
        ["Self", "String", "Vec", "Option", "Some", "None", "Result", "Ok", "Err", "Box"]
            .contains(&camel.as_str());
    if is_known { format!("{camel}Value") } else { camel }
}

/// A name that the Rust code of the language gives to a value of an enum. Two values with one name do not go together.
pub(crate) fn to_variant_name(value: &str) -> String {
    let parts = value.split(|c: char| !(c.is_alphanumeric() && is_xid_continue(c)));
    let camel: String = parts.map(capitalise).collect();
    match (camel.as_str(), camel.chars().next()) {
        (_, None) => "Other".to_owned(),
        ("Self", _) => "SelfValue".to_owned(),
        ("ALL", _) => "AllValue".to_owned(),
        (_, Some(first)) if !is_xid_start(first) => format!("V{camel}"),
        _ => camel,
    }
}

/// The names that are taken in a scope.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    pub(crate) fn from_taken(taken: &[&str]) -> Self {
        Self(taken.iter().map(|name| (*name).to_owned()).collect())
    }

    pub(crate) fn is_free(&self, name: &str) -> bool {
        !self.0.contains(name)
    }

    /// The name, or the first with a number after it that is free; it is taken then.
    pub(crate) fn claim(&mut self, name: &str, separator: &str) -> String {
        if self.0.insert(name.to_owned()) {
            return name.to_owned();
        }
        let mut number = 2_u64;
        loop {
            let numbered = format!("{name}{separator}{number}");
            if self.0.insert(numbered.clone()) {
                return numbered;
            }
            number += 1;
        }
    }
}
