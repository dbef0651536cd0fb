//! What a base declares.
//!
//! Only what is not YAML is no base. Whatever else is wrong is left out, and reported with the view that it belongs to.

mod filter;
mod section;
mod view;

use std::cell::RefCell;

use indexmap::IndexMap;
use jiff::Zoned;
use serde_json::Value;
use toolwrit_vault::frontmatter;

use super::check::find_cycles;
use super::property::Property;
use super::syntax::BaseExpression;
use crate::value::Name;
pub(super) use filter::Filter;
use section::{Reading, Section};
pub(super) use view::{SortKey, ViewDefinition};

/// Most formulas.
const FORMULAS_LIMIT: usize = 200;

/// Why a text is not a base, or what in it is left out.
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
    /// Expressions that use `values`.
    pub(super) summaries: IndexMap<Name, BaseExpression>,
    names: Vec<(Property, Name)>,
    pub(super) views: Vec<ViewDefinition>,
    /// What is left out of all views.
    pub(super) problems: Vec<DefinitionError>,
}

impl Base {
    /// Parses a base and checks all its expressions. `now` is the current date.
    pub(super) fn parse(text: &str, now: &Zoned) -> Result<Self, DefinitionError> {
        let root = frontmatter::parse(text).map_err(|error| DefinitionError {
            place: format!("line {}, column {}", error.line, error.column),
            reason: error.reason,
        })?;
        let names = root.get("formulas").and_then(Value::as_object);
        let names = names.into_iter().flat_map(|formulas| formulas.keys());
        let formulas = names.map(|name| name.as_str().into()).collect();
        let reading = Reading { now, formulas, problems: RefCell::default() };
        let root = Value::Object(root);
        let root = Section { value: &root, place: String::new(), reading: &reading };
        let views = root.list("views").iter().map(view::read).collect();
        Ok(Self {
            formulas: read_formulas(&root)?,
            filters: root.key("filters").and_then(|section| filter::read(&section)),
            summaries: read_expressions(&root, "summaries"),
            names: read_display_names(&root),
            views,
            problems: reading.problems.take(),
        })
    }

    /// The name of a column: the declared one, or that of the property.
    pub(super) fn column_name(&self, property: &Property) -> Name {
        let declared = self.names.iter().find(|(known, _)| known.is_same(property));
        match (declared, property) {
            (Some((_, name)), _) | (None, Property::Note(name) | Property::Formula(name)) => {
                name.clone()
            }
            (None, Property::File(_) | Property::Unknown { .. }) => property.to_string().into(),
        }
    }
}

fn read_formulas(root: &Section<'_>) -> Result<IndexMap<Name, BaseExpression>, DefinitionError> {
    let mut formulas = read_expressions(root, "formulas");
    if formulas.len() > FORMULAS_LIMIT {
        let reason = format!("there are more than {FORMULAS_LIMIT} formulas");
        return Err(DefinitionError { place: "formulas".to_owned(), reason });
    }
    for cycle in find_cycles(&formulas) {
        let reason =
            format!("formulas.{}: the formula uses itself: {}", cycle[0], cycle.join(" -> "));
        formulas.insert(cycle[0].as_str().into(), BaseExpression::Invalid(reason.into()));
    }
    Ok(formulas)
}

/// The expressions under a key, by their names.
fn read_expressions(root: &Section<'_>, key: &str) -> IndexMap<Name, BaseExpression> {
    let entries = root.mapping(key);
    entries.into_iter().map(|(name, section)| (name.into(), section.expression())).collect()
}

fn read_display_names(root: &Section<'_>) -> Vec<(Property, Name)> {
    let mut names = Vec::new();
    for (property, section) in root.mapping("properties") {
        // The name of a property that does not exist is no error, because no column shows it.
        if let Some(name) = section.key("displayName").and_then(|name| name.text()) {
            names.push((root.reading.property(property), name.into()));
        }
    }
    names
}
