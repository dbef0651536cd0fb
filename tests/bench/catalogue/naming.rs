//! Chooses names as an author would: a category for each noun in the names of tools.

use std::collections::HashSet;
use std::ops::Range;

/// First words that are verbs.
const VERBS: &str = "\
    add archive assign cancel change check clear close convert copy create delete describe \
    disable dismiss download edit enable execute export fetch find fork get import insert list \
    lock manage mark merge move open publish push put query read remove rename reopen replace \
    reprioritize request resolve run save search send set show star start stop submit sync \
    trigger unassign unlock unresolve unstar update upload view watch write";

/// Words before a noun that do not name it.
const FILLERS: &str =
    "a all and by for from global in latest my new of on or pending starred sub the to with";

/// The two parts of an operation's id.
pub(crate) struct Id {
    pub(crate) category: String,
    pub(crate) operation: String,
}

/// An id for each tool, in the order of their names.
pub(crate) fn ids(tools: &[&str]) -> Vec<Id> {
    let names: Vec<Vec<String>> = tools.iter().map(|name| words(name)).collect();
    let mut taken = HashSet::new();
    let id = |name: &Vec<String>| {
        let noun = noun(name, &names);
        let category = name[noun.clone()].iter().map(|word| singular(word)).collect::<Vec<_>>();
        let category = if noun.is_empty() { "general".to_owned() } else { category.join("_") };
        let rest = [&name[..noun.start], &name[noun.end..]].concat();
        let short = if rest.is_empty() { name } else { &rest };
        let operation = unused(&category, &[snake(short), snake(name)], &mut taken);
        Id { category, operation }
    };
    names.iter().map(id).collect()
}

/// A name in lower case with `_`, which begins with a letter.
pub(crate) fn snake_case(name: &str) -> String {
    snake(&words(name))
}

/// A name of a type.
pub(crate) fn upper_camel(name: &str) -> String {
    toolwrit_manifest::rust_names::type_name(&snake_case(name))
}

/// The singular of a noun, judged by its ending.
pub(crate) fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let doubled = ["ches", "shes", "sses", "xes"].iter().any(|end| word.ends_with(end));
    let plural = word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match (doubled, plural) {
        (true, _) => word[..word.len() - 2].to_owned(),
        (_, true) => word[..word.len() - 1].to_owned(),
        _ => word.to_owned(),
    }
}

/// The position of the first noun in a name, with the following words that all names with that noun share,
/// as in `pull_request`. Empty if there is no noun.
fn noun(name: &[String], all: &[Vec<String>]) -> Range<usize> {
    let Some(start) = first_noun(name) else { return 0..0 };
    let family: Vec<&[String]> = all
        .iter()
        .filter_map(|other| Some(&other[first_noun(other)?..]))
        .filter(|other| singular(&other[0]) == singular(&name[start]))
        .collect();
    let mut end = start + 1;
    let shared = |end: usize| {
        let word = |from: &[String]| from.get(end - start).map(|word| singular(word));
        let own = name.get(end).map(|word| singular(word));
        own.is_some() && family.iter().all(|other| word(other) == own)
    };
    while family.len() > 1 && shared(end) {
        end += 1;
    }
    start..end
}

fn first_noun(name: &[String]) -> Option<usize> {
    let passed_over = VERBS.split(' ').chain(FILLERS.split(' '));
    name.iter().position(|word| !passed_over.clone().any(|other| other == word))
}

/// The first name that is free in its category, or the last one with a number.
fn unused(category: &str, names: &[String; 2], taken: &mut HashSet<(String, String)>) -> String {
    let numbered = (2..).map(|number| format!("{}_{number}", names[1]));
    let mut candidates = names.iter().cloned().chain(numbered);
    let mut free = |name: &String| taken.insert((category.to_owned(), name.clone()));
    candidates.find(|name| free(name)).unwrap()
}

/// The words of a name in any spelling.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(at + 1);
        let begins = letter.is_ascii_uppercase()
            && (before.is_some_and(|c| !c.is_ascii_uppercase())
                || after.is_some_and(char::is_ascii_lowercase));
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric() {
            words.last_mut().unwrap().push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn snake(words: &[String]) -> String {
    let name = words.join("_");
    let is_letter_first = name.starts_with(|c: char| c.is_ascii_lowercase());
    if is_letter_first { name } else { format!("x_{name}") }
}
