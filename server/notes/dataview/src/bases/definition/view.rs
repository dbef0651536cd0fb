//! Views.

use serde_json::{Map, Value};

use super::DefinitionError;
use super::filter::{self, Filter};
use super::section::Section;
use crate::bases::property::Property;

/// The keys that are read here. All others are settings of the view's type.
const KEYS: [&str; 8] =
    ["type", "name", "filters", "order", "sort", "groupBy", "limit", "summaries"];

/// A property to sort or group by.
#[derive(Debug)]
pub(in crate::bases) struct SortKey {
    pub(in crate::bases) property: Property,
    pub(in crate::bases) is_descending: bool,
}

#[derive(Debug)]
pub(in crate::bases) struct ViewDefinition {
    pub(in crate::bases) name: String,
    pub(in crate::bases) kind: String,
    pub(in crate::bases) filters: Option<Filter>,
    pub(in crate::bases) columns: Vec<Property>,
    pub(in crate::bases) sort: Vec<SortKey>,
    pub(in crate::bases) group: Option<SortKey>,
    pub(in crate::bases) limit: Option<usize>,
    /// The names of the summaries of properties.
    pub(in crate::bases) summaries: Vec<(Property, String)>,
    pub(in crate::bases) settings: Map<String, Value>,
    /// What is left out.
    pub(in crate::bases) problems: Vec<DefinitionError>,
}

pub(super) fn read(section: &Section<'_>) -> ViewDefinition {
    let kind = section.key("type").and_then(|kind| kind.text());
    if kind.is_none() {
        section.report(section.error("expected a `type`, such as `type: table`".to_owned()));
    }
    let kind = kind.unwrap_or("table").to_owned();
    let name = section.key("name").and_then(|name| name.text());
    let summaries = section.mapping("summaries").into_iter().filter_map(|(property, name)| {
        Some((section.reading.property(property), name.text()?.to_owned()))
    });
    let entries = section.entries().unwrap_or_default();
    let settings = entries.into_iter().filter(|(key, _)| !KEYS.contains(key));
    ViewDefinition {
        name: name.map_or_else(|| kind.clone(), str::to_owned),
        kind,
        filters: section.key("filters").and_then(|section| filter::read(&section)),
        columns: section.list("order").iter().filter_map(Section::property).collect(),
        sort: section.list("sort").iter().filter_map(read_sort_key).collect(),
        group: section.key("groupBy").and_then(|key| read_sort_key(&key)),
        limit: section.key("limit").and_then(|limit| read_limit(&limit)),
        summaries: summaries.collect(),
        settings: settings.map(|(key, section)| (key.to_owned(), section.value.clone())).collect(),
        problems: section.reading.problems.take(),
    }
}

/// A whole number, also one in quotes.
fn read_limit(section: &Section<'_>) -> Option<usize> {
    let number = match section.value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64().and_then(|number| usize::try_from(number).ok()),
    };
    if number.is_none() {
        section.report(section.expected_error("a whole number"));
    }
    number
}

fn read_sort_key(section: &Section<'_>) -> Option<SortKey> {
    // Bases of older versions of Obsidian have `column`.
    let Some(property) = section.key("property").or_else(|| section.key("column")) else {
        section.report(
            section.error("expected a `property`, such as `property: file.name`".to_owned()),
        );
        return None;
    };
    let direction = section.key("direction");
    let direction = direction.and_then(|section| Some((section.text()?.to_uppercase(), section)));
    if let Some((direction, section)) = &direction
        && !["ASC", "DESC"].contains(&direction.as_str())
    {
        let found = section.value.as_str().unwrap_or_default();
        section.report(section.error(format!("expected `ASC` or `DESC`, found `{found}`")));
    }
    let is_descending = direction.is_some_and(|(direction, _)| direction == "DESC");
    Some(SortKey { property: property.property()?, is_descending })
}
