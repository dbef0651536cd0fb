//! What a `.base` file declares.

mod section;

use indexmap::IndexMap;
use jiff::Zoned;
use serde_json::Value;
use toolwrit_vault::frontmatter;

use super::check::check_cycles;
use super::property::Property;
use super::syntax::BaseExpression;
use crate::value::Name;
use section::{Reading, Section};

/// How deeply filters may be nested.
const DEPTH_LIMIT: usize = 16;
/// Most formulas.
const FORMULAS_LIMIT: usize = 200;

/// Why a file is not a base.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct DefinitionError {
    /// Where: a line and a column, or a key such as `views[0].filters.and[1]`, for an expression with its column.
    pub place: String,
    /// What is wrong there, and what was expected.
    pub reason: String,
}

/// A base whose expressions are checked.
#[derive(Debug)]
pub(super) struct Base {
    pub(super) filters: Option<Filter>,
    pub(super) formulas: IndexMap<Name, BaseExpression>,
    names: Vec<(Property, Name)>,
    pub(super) views: Vec<ViewDefinition>,
}

/// A condition on files.
#[derive(Debug)]
pub(super) enum Filter {
    /// That an expression is true.
    Statement(BaseExpression),
    /// That all of them hold.
    And(Vec<Filter>),
    /// That one of them holds.
    Or(Vec<Filter>),
    /// That none of them holds.
    Not(Vec<Filter>),
}

/// A property to sort or group by.
#[derive(Debug)]
pub(super) struct SortKey {
    pub(super) property: Property,
    pub(super) is_descending: bool,
}

#[derive(Debug)]
pub(super) struct ViewDefinition {
    pub(super) name: String,
    pub(super) filters: Option<Filter>,
    pub(super) columns: Vec<Property>,
    pub(super) sort: Vec<SortKey>,
    pub(super) group: Option<SortKey>,
    pub(super) limit: Option<usize>,
}

impl Base {
    /// Parses a file and checks all its expressions. `now` is the current date.
    pub(super) fn parse(text: &str, now: &Zoned) -> Result<Self, DefinitionError> {
        let root = frontmatter::parse(text).map_err(|error| DefinitionError {
            place: format!("line {}, column {}", error.line, error.column),
            reason: error.reason,
        })?;
        let names = root.get("formulas").and_then(Value::as_object);
        let names = names.into_iter().flat_map(|formulas| formulas.keys());
        let reading = Reading { now, formulas: names.map(|name| name.as_str().into()).collect() };
        let root = Value::Object(root);
        let root = Section { value: &root, place: String::new(), reading: &reading };
        Ok(Self {
            formulas: read_formulas(&root)?,
            filters: root.key("filters").map(|section| read_filter(&section, 0)).transpose()?,
            names: read_display_names(&root)?,
            views: read_each(root.key("views"), read_view)?,
        })
    }

    /// The name of a column: the declared one, or that of the property.
    pub(super) fn column_name(&self, property: &Property) -> Name {
        let declared = self.names.iter().find(|(known, _)| known == property);
        match (declared, property) {
            (None, Property::File(_)) => property.to_string().into(),
            (Some((_, name)), _) | (None, Property::Note(name) | Property::Formula(name)) => {
                name.clone()
            }
        }
    }
}

fn read_formulas(root: &Section<'_>) -> Result<IndexMap<Name, BaseExpression>, DefinitionError> {
    let Some(section) = root.key("formulas") else { return Ok(IndexMap::new()) };
    let entries = section.entries()?;
    if entries.len() > FORMULAS_LIMIT {
        return Err(section.error(format!("there are more than {FORMULAS_LIMIT} formulas")));
    }
    let formula = |(name, section): (&str, Section<'_>)| Ok((name.into(), section.expression()?));
    let formulas = entries.into_iter().map(formula).collect::<Result<_, _>>()?;
    check_cycles(&formulas).map_err(|cycle| {
        let place = format!("formulas.{}", cycle[0]);
        let reason = format!("the formula uses itself: {}", cycle.join(" -> "));
        DefinitionError { place, reason }
    })?;
    Ok(formulas)
}

fn read_display_names(root: &Section<'_>) -> Result<Vec<(Property, Name)>, DefinitionError> {
    let Some(section) = root.key("properties") else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for (property, section) in section.entries()? {
        if let Some(name) = section.key("displayName") {
            // The name of a property that does not exist is no error, because no column shows it.
            let known = root.reading.property(property).ok();
            names.extend(known.map(|known| Ok((known, name.text()?.into()))).transpose()?);
        }
    }
    Ok(names)
}

fn read_filter(section: &Section<'_>, depth: usize) -> Result<Filter, DefinitionError> {
    if depth > DEPTH_LIMIT {
        return Err(section.error(format!("filters are nested more than {DEPTH_LIMIT} deep")));
    }
    if section.value.is_string() {
        return section.expression().map(Filter::Statement);
    }
    let expected =
        || section.expected_error("an expression in quotes, or one of `and`, `or` and `not`");
    let entries = section.entries().map_err(|_| expected())?;
    let [(connective, section)] = &*entries else { return Err(expected()) };
    let wrap = match *connective {
        "and" => Filter::And,
        "or" => Filter::Or,
        "not" => Filter::Not,
        other => {
            return Err(section.error(format!("expected `and`, `or` or `not`, found `{other}`")));
        }
    };
    let parts = section.items()?;
    parts.iter().map(|part| read_filter(part, depth + 1)).collect::<Result<_, _>>().map(wrap)
}

fn read_view(section: &Section<'_>) -> Result<ViewDefinition, DefinitionError> {
    let Some(kind) = section.key("type") else {
        return Err(section.error("expected a `type`, such as `type: table`".to_owned()));
    };
    let kind = kind.text()?.to_owned();
    let name = section.key("name").map(|name| name.text().map(str::to_owned)).transpose()?;
    let limit = section.key("limit").map(|limit| {
        let number = limit.value.as_u64().and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| limit.expected_error("a whole number"))
    });
    Ok(ViewDefinition {
        name: name.unwrap_or(kind),
        filters: section.key("filters").map(|section| read_filter(&section, 0)).transpose()?,
        columns: read_each(section.key("order"), Section::property)?,
        sort: read_each(section.key("sort"), read_sort_key)?,
        group: section.key("groupBy").map(|key| read_sort_key(&key)).transpose()?,
        limit: limit.transpose()?,
    })
}

fn read_sort_key(section: &Section<'_>) -> Result<SortKey, DefinitionError> {
    // Bases of older versions of Obsidian have `column`.
    let Some(property) = section.key("property").or_else(|| section.key("column")) else {
        return Err(
            section.error("expected a `property`, such as `property: file.name`".to_owned())
        );
    };
    let is_descending = match section.key("direction") {
        None => false,
        Some(direction) => match direction.text()? {
            "ASC" => false,
            "DESC" => true,
            other => {
                let reason = format!("expected `ASC` or `DESC`, found `{other}`");
                return Err(direction.error(reason));
            }
        },
    };
    Ok(SortKey { property: property.property()?, is_descending })
}

/// Reads the items of a list; none if it is missing.
fn read_each<'a, T>(
    section: Option<Section<'a>>,
    read: impl Fn(&Section<'a>) -> Result<T, DefinitionError>,
) -> Result<Vec<T>, DefinitionError> {
    let items = section.map_or_else(|| Ok(Vec::new()), |section| section.items())?;
    items.iter().map(read).collect()
}
