//! Ids of operations: a category and a name each.

use std::collections::{BTreeMap, HashMap};

use crate::document::endpoint::Endpoint;
use crate::language::names::{Names, split_words, to_kebab_case, to_snake_case};

pub(crate) const LONGEST_CATEGORY: usize = 18;
pub(crate) const LONGEST_SERVER: usize = 14;
/// Clients show the tools of a server as `mcp__SERVER__CATEGORY_NAME`, and some refuse more characters.
const LONGEST_TOOL: usize = 60;
const PREFIX: usize = "mcp____".len();
/// A number at the end of a name.
const NUMBER: usize = 4;

/// The id of an operation.
#[derive(Debug, Clone)]
pub(crate) struct Id {
    pub(crate) category: String,
    pub(crate) name: String,
    /// The words of its name in the document.
    pub(crate) words: Vec<String>,
}

/// The ids of all operations of a server. The category is the first tag, or the given one.
///
/// A name has the words of the document without those of the category. If several operations would have it, each has all
/// its words, or else those of its path, too. Only what still has the same name has a number.
pub(crate) fn assign_ids(
    endpoints: &[Endpoint<'_>],
    category: Option<&str>,
    server: &str,
) -> Vec<Id> {
    let mut ids: Vec<Id> =
        endpoints.iter().map(|endpoint| without_name(endpoint, category)).collect();
    let longest = LONGEST_TOOL - PREFIX - server.len();
    let mut taken: BTreeMap<String, Names> = BTreeMap::new();
    let mut waiting: Vec<usize> = (0..ids.len()).collect();
    for wording in [Wording::Short, Wording::Whole, Wording::WithPath, Wording::Path] {
        let wordings: Vec<(usize, String)> = waiting
            .iter()
            .map(|at| (*at, name(&ids[*at], &endpoints[*at], wording, longest)))
            .collect();
        let mut uses: HashMap<(&str, &str), usize> = HashMap::new();
        for (at, name) in &wordings {
            *uses.entry((&ids[*at].category, name)).or_default() += 1;
        }
        let is_only = |(at, name): &&(usize, String)| uses[&(&*ids[*at].category, &**name)] == 1;
        let only: Vec<(usize, String)> = wordings.iter().filter(is_only).cloned().collect();
        for (at, name) in only {
            let names = taken.entry(ids[at].category.clone()).or_default();
            if names.is_free(&name) {
                ids[at].name = names.claim(&name, "_");
            }
        }
        waiting.retain(|at| ids[*at].name.is_empty());
    }
    for at in waiting {
        let name = name(&ids[at], &endpoints[at], Wording::Whole, longest - NUMBER);
        let names = taken.entry(ids[at].category.clone()).or_default();
        ids[at].name = names.claim(&name, "_");
    }
    ids
}

/// Which words a name has.
#[derive(Debug, Clone, Copy)]
enum Wording {
    /// Those of the document, without those of the category.
    Short,
    /// All of the document.
    Whole,
    /// Those of the document, and those of the path that it lacks.
    WithPath,
    /// The method and the path.
    Path,
}

fn name(id: &Id, endpoint: &Endpoint<'_>, wording: Wording, longest: usize) -> String {
    let path = || split_words(endpoint.path.split(['?', '#']).next().unwrap_or_default());
    let words = match wording {
        Wording::Short => strip_category(&id.words, &split_words(&id.category)),
        Wording::Whole => id.words.clone(),
        Wording::WithPath => {
            let more = path().into_iter().filter(|word| !id.words.contains(word));
            id.words.iter().cloned().chain(more).collect()
        }
        Wording::Path => [vec![endpoint.method.to_owned()], path()].concat(),
    };
    let most = longest - id.category.len() - 1;
    to_snake_case(&shortened(words, most).join("_"), "call", most)
}

/// The words within a length: the first, which says what is done, and as many of the last as fit, which say to what.
fn shortened(mut words: Vec<String>, most: usize) -> Vec<String> {
    let length = |words: &[String]| words.iter().map(|word| word.len() + 1).sum::<usize>();
    while words.len() > 2 && length(&words) > most + 1 {
        words.remove(1);
    }
    words
}

fn without_name(endpoint: &Endpoint<'_>, category: Option<&str>) -> Id {
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
