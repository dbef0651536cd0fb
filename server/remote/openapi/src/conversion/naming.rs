//! Ids of operations: a category and a name each.

use std::collections::{BTreeMap, HashMap};

use crate::document::endpoint::Endpoint;
use crate::language::names::{Names, split_words, to_kebab_case, to_snake_case};

pub(crate) const LONGEST_CATEGORY: usize = 28;
/// Names that clients see have at most 60 characters, with the category and a number.
const LONGEST_ID: usize = 56;

/// The id of an operation.
#[derive(Debug, Clone)]
pub(crate) struct Id {
    pub(crate) category: String,
    pub(crate) name: String,
    /// The words of its name in the document.
    pub(crate) words: Vec<String>,
}

/// The ids of all operations. The category is the first tag, or the given one.
pub(crate) fn assign_ids(endpoints: &[Endpoint<'_>], category: Option<&str>) -> Vec<Id> {
    let mut ids: Vec<Id> = endpoints.iter().map(|endpoint| long_id(endpoint, category)).collect();
    // A name is shortened only if no other operation of the category has the same short name.
    let short: Vec<Vec<String>> =
        ids.iter().map(|id| strip_category(&id.words, &split_words(&id.category))).collect();
    let mut uses: HashMap<(String, Vec<String>), usize> = HashMap::new();
    for (id, short) in ids.iter().zip(&short) {
        *uses.entry((id.category.clone(), short.clone())).or_default() += 1;
    }
    let mut taken: BTreeMap<String, Names> = BTreeMap::new();
    for (id, short) in ids.iter_mut().zip(short) {
        let is_free = uses.get(&(id.category.clone(), short.clone())) == Some(&1);
        let words = if is_free { &short } else { &id.words };
        let most = LONGEST_ID - id.category.len() - 1;
        let name = to_snake_case(&words.join("_"), "call", most);
        id.name = taken.entry(id.category.clone()).or_default().claim(&name, "_");
    }
    ids
}

fn long_id(endpoint: &Endpoint<'_>, category: Option<&str>) -> Id {
    let tag = endpoint.node.raw("tags").and_then(|tags| tags.items().next()?.value.as_str());
    let words = match endpoint.id.map(split_words).filter(|words| !words.is_empty()) {
        Some(words) => words,
        None => [vec![endpoint.method.to_owned()], split_words(endpoint.path)].concat(),
    };
    let category = match (category, tag) {
        (Some(given), _) => given.to_owned(),
        (None, Some(tag)) => to_kebab_case(tag, "api", LONGEST_CATEGORY),
        (None, None) => to_kebab_case(first_segment(endpoint.path), "api", LONGEST_CATEGORY),
    };
    Id { category, name: String::new(), words }
}

/// The first part of a path that says what it is about: not `api`, not a version, not a parameter.
fn first_segment(path: &str) -> &str {
    let is_version = |segment: &str| {
        segment
            .strip_prefix(['v', 'V'])
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let mut segments = path.split(['/', '?', '#']).filter(|segment| !segment.is_empty());
    let named = segments.find(|segment| {
        !segment.contains('{') && !is_version(segment) && !matches!(*segment, "api" | "rest")
    });
    named.unwrap_or("api")
}

/// The words without those of the category at the end or at the beginning, if some are left.
fn strip_category(all: &[String], category: &[String]) -> Vec<String> {
    let is_same = |part: &[String]| {
        part.len() == category.len()
            && part.iter().zip(category).all(|(a, b)| singular(a) == singular(b))
    };
    let rest = match all.len().checked_sub(category.len()).filter(|rest| *rest > 0) {
        Some(rest) if is_same(&all[rest..]) => &all[..rest],
        Some(_) if is_same(&all[..category.len()]) => &all[category.len()..],
        _ => all,
    };
    rest.to_vec()
}

fn singular(word: &str) -> &str {
    word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word).trim_end_matches('e')
}
