//! Searches operations by what they do.

use serde_json::{Map, Value};

use super::Endpoint;
use crate::discovery::{Withheld, find_withheld, line};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::authority::{Category, Operation};
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::policy::Selector;
use toolwrit_retrieval::{LONGEST_QUERY, Relevance, ToolHit};
use toolwrit_text::{nearest, shorten};

/// The reason of a search or selection without results.
pub(super) const NOTHING_MATCHES: &str = "nothing_matches";

/// The ranked operations of an answer, unless a limit is given.
const MOST_RANKED: usize = 8;

/// A search for operations. Without words and category it matches every visible operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchQuery<'a> {
    /// Words, a name, and selectors such as `effect:read`.
    pub query: Option<&'a str>,
    /// Only the operations of this category.
    pub category: Option<&'a str>,
}

/// The operations that match a search, best first.
#[derive(Debug)]
pub struct Matches<'a> {
    /// Best first.
    pub found: Vec<Match<'a>>,
    /// What the query means, but the caller may not use now.
    pub withheld: Option<Withheld>,
    /// The note of what is not offered, if that is what the query means.
    pub not_offered: Option<&'a str>,
    /// Whether the query had no words. The matches are then in manifest order.
    pub(crate) is_listing: bool,
}

impl Matches<'_> {
    /// Why no match is strong: what is meant is `withheld` or `not_offered`, there are `only_weak_matches`, or
    /// `nothing_matches`. `None` if a match is strong.
    pub fn reason(&self) -> Option<&'static str> {
        match &self.found[..] {
            _ if self.withheld.is_some() => Some("withheld"),
            _ if self.not_offered.is_some() => Some("not_offered"),
            [] => Some(NOTHING_MATCHES),
            matches if matches.iter().any(Match::is_strong) => None,
            _ => Some("only_weak_matches"),
        }
    }
}

/// An operation that matches a search.
#[derive(Debug, Clone, Copy)]
pub struct Match<'a> {
    /// The operation.
    pub operation: &'a Operation,
    pub(crate) relevance: Relevance,
    /// How it was found; `None` if the query names the operation.
    pub hit: Option<ToolHit>,
}

impl<'a> Match<'a> {
    fn exact(operation: &'a Operation) -> Self {
        Self { operation, relevance: Relevance::Strong, hit: None }
    }

    /// Whether it is probably what the query asks for.
    pub fn is_strong(&self) -> bool {
        self.relevance == Relevance::Strong
    }

    /// Returns `strong` or `weak`.
    pub fn relevance(&self) -> &'static str {
        if self.is_strong() { "strong" } else { "weak" }
    }
}

impl Endpoint {
    /// Answers `search_tools`: signatures of the operations that match, best first. Without query and
    /// category: one line for each category. `query` repeats the query, and `total` counts beyond `limit`.
    pub(super) fn search(&self, mut slots: ArgValues) -> Result<Value> {
        let query: Option<String> = slots.take();
        let category: Option<String> = slots.take();
        let limit: Option<i64> = slots.take();
        let mut answer = Map::new();
        let query = query.as_deref().filter(|query| !query.trim().is_empty());
        answer.insert("query".to_owned(), query.unwrap_or_default().into());
        if query.is_none() && category.is_none() {
            let overview = self.overview();
            answer.insert("total".to_owned(), overview.len().into());
            answer.insert("results".to_owned(), overview.into());
            return Ok(Value::Object(answer));
        }
        let found = self.find(SearchQuery { query, category: category.as_deref() })?;
        // What is not ranked is complete.
        let most = if found.is_listing { usize::MAX } else { MOST_RANKED };
        let limit = limit.map_or(most, |limit| usize::try_from(limit).unwrap_or(most));
        let shown = found.found.iter().take(limit);
        let lines: Vec<String> = if found.is_listing {
            shown.map(|found| line(found.operation, &[])).collect()
        } else {
            shown.map(|found| line(found.operation, &[found.relevance()])).collect()
        };
        answer.insert("total".to_owned(), found.found.len().into());
        answer.insert("results".to_owned(), lines.into());
        if let Some(reason) = found.reason() {
            answer.insert("reason".to_owned(), reason.into());
        }
        if let Some(note) = found.not_offered {
            answer.insert("note".to_owned(), note.into());
        }
        if let Some(withheld) = &found.withheld {
            withheld.add_to(&mut answer);
        }
        if found.found.is_empty() {
            answer.insert("categories".to_owned(), self.overview().into());
        }
        Ok(Value::Object(answer))
    }

    /// Returns the operations that match, best first. No match is a valid answer.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for a category that the caller cannot see, or a query that is too long.
    pub fn find(&self, wanted: SearchQuery<'_>) -> Result<Matches<'_>> {
        check_length("query", wanted.query.map_or(0, str::len))?;
        let category = wanted.category.map(|name| self.category(name)).transpose()?;
        let (selectors, words) = self.selectors(wanted.query.unwrap_or_default());
        let fits = |index: usize| {
            let operation = &self.tables().operations[index];
            category.is_none_or(|category| usize::from(operation.category) == category)
                && selectors.iter().all(|selector| selector.matches(operation))
        };
        let operation = |index: usize| &self.tables().operations[index];
        if words.is_empty() {
            let visible = self.policy.visible().map(|(index, _)| index).filter(|i| fits(*i));
            let matches = visible.map(|index| Match::exact(operation(index))).collect();
            return Ok(Matches {
                found: matches,
                withheld: None,
                not_offered: None,
                is_listing: true,
            });
        }
        let named = self
            .find_named_operation(&words)
            .filter(|index| self.policy.shows(*index) && fits(*index));
        let mut matches: Vec<Match<'_>> = Vec::new();
        matches.extend(named.map(|index| Match::exact(operation(index))));
        let (mut withheld, mut not_offered) = (None, None);
        // A query that is only a name needs no ranking.
        if named.is_none() || self.tables().tool(&words).is_none() {
            let indexes = &self.prepared.indexes;
            let (found, gap) = indexes.search(&self.policy, &words, fits);
            let found = found.into_iter().filter(|found| Some(found.operation) != named);
            let mut ranked: Vec<Match<'_>> = found
                .map(|found| Match {
                    operation: operation(found.operation),
                    relevance: found.hit.relevance,
                    hit: Some(found.hit),
                })
                .collect();
            if named.is_none() {
                let sums = ranked.iter().filter_map(|found| Some(found.hit?.evidence.sum()));
                let best = sums.fold(f32::NEG_INFINITY, f32::max);
                withheld = find_withheld(&self.policy, indexes, &words, fits, best);
                not_offered = gap.filter(|_| withheld.is_none());
            }
            if withheld.is_some() {
                for found in &mut ranked {
                    found.relevance = Relevance::Weak;
                }
            }
            // An operation with exactly this name precedes others that contain its words.
            ranked.sort_by_key(|found| found.operation.name != words);
            matches.extend(ranked);
        }
        Ok(Matches { found: matches, withheld, not_offered, is_listing: false })
    }

    /// Splits a query into selectors and words. A selector that matches nothing counts as a word.
    fn selectors(&self, query: &str) -> (Vec<Selector>, String) {
        let mut selectors = Vec::new();
        let mut words = Vec::new();
        for word in query.split_whitespace() {
            let selector = word.contains(':').then(|| Selector::find(self.tables(), word));
            match selector.flatten() {
                Some(selector) => selectors.push(selector),
                None => words.push(word),
            }
        }
        (selectors, words.join(" "))
    }

    /// Returns the operation that a query names, as a whole or with a word that contains `.` or `_`.
    fn find_named_operation(&self, query: &str) -> Option<usize> {
        let words = query.split_whitespace().filter(|word| word.contains(['.', '_']));
        let names = std::iter::once(query).chain(words);
        let mut found = names.filter_map(|name| self.tables().tool(name));
        found.next().map(|name| usize::from(name.operation))
    }

    /// Returns a line for each category: `vault: read, write, append  # Read, write, move and search notes.`
    pub fn overview(&self) -> Vec<String> {
        let category = |(index, category): (usize, &Category)| {
            let operations =
                self.policy.visible().filter(|(_, o)| usize::from(o.category) == index);
            let names: Vec<&str> =
                operations.map(|(_, operation)| operation.name.as_str()).collect();
            format!("{}: {}  # {}", category.name, names.join(", "), category.summary)
        };
        self.visible_categories().into_iter().map(category).collect()
    }

    /// Returns the position of a category that the caller sees.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for any other name.
    pub(super) fn category(&self, name: &str) -> Result<usize> {
        check_length("category", name.len())?;
        let categories = self.visible_categories();
        let found = categories.iter().find(|(_, c)| c.name == name || c.wire_name == name);
        found.map(|(index, _)| *index).ok_or_else(|| {
            let names: Vec<&str> =
                categories.iter().map(|(_, category)| category.name.as_str()).collect();
            let short = shorten::name(name);
            Fault::validation(format!("There is no category `{short}`."))
                .with_path("/category")
                .expecting(names.join("|"))
                .got(short.clone())
                .did_you_mean(nearest::closest(name, names))
        })
    }

    /// Returns the categories with an operation that the caller sees, and their positions.
    pub fn visible_categories(&self) -> Vec<(usize, &Category)> {
        let operations: Vec<_> = self.policy.visible().map(|(_, operation)| operation).collect();
        let used = |index: usize| operations.iter().any(|o| usize::from(o.category) == index);
        self.tables().categories.iter().enumerate().filter(|(index, _)| used(*index)).collect()
    }
}

/// Refuses text that is too long to be searched, because the cost grows with the length.
///
/// # Errors
/// `VALIDATION_ERROR` that names the maximum length.
pub(super) fn check_length(parameter: &str, bytes: usize) -> Result<()> {
    if bytes <= LONGEST_QUERY {
        return Ok(());
    }
    Err(Fault::validation(format!("`{parameter}` has {bytes} bytes of text, which is too much."))
        .with_path(format!("/{parameter}"))
        .expecting(format!("at most {LONGEST_QUERY} bytes"))
        .got(bytes)
        .hinting("Use fewer words, or several calls."))
}
