//! Changes of single items of lists.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;

use super::data::split_items;
use super::draft::Draft;
use crate::error::{ProjectError, Result};
use crate::model::{Entity, Field, FieldValue};

/// What callers can give in place of whole lists: items by the names of their fields.
pub(super) const ADD_TO: &str = "add_to";
pub(super) const REMOVE_FROM: &str = "remove_from";

impl Draft<'_> {
    /// Turns single items into whole lists. Names that the note has as properties of its own mean these.
    ///
    /// # Errors
    /// `InvalidField` for items of what is no list.
    pub(super) fn change_items(&self, entity: &Entity, data: &mut Properties) -> Result<()> {
        let mut take = |name: &str| {
            let is_own = entity.properties.contains_key(name);
            if is_own { Ok(Properties::new()) } else { parse_lists(name, data.shift_remove(name)) }
        };
        let (added, removed) = (take(ADD_TO)?, take(REMOVE_FROM)?);
        let names: BTreeSet<&String> = added.keys().chain(removed.keys()).collect();
        for name in names {
            let items = |given: &Properties| given.get(name).map(split_items).unwrap_or_default();
            let whole = data.get(name).cloned();
            let list = self.change_list(entity, name, whole, items(&added), &items(&removed))?;
            data.insert(name.clone(), list);
        }
        Ok(())
    }

    /// A list with other items. Those that stay are written as they were.
    fn change_list(
        &self,
        entity: &Entity,
        name: &str,
        whole: Option<Json>,
        added: Vec<Json>,
        removed: &[Json],
    ) -> Result<Json> {
        let words = self.project.words();
        let field = words.field(name).filter(|field| field.applies_to(entity.kind()));
        let written = match field {
            // They may be in the text.
            Some(Field::AcceptanceCriteria) => {
                Some(FieldValue::Criteria(entity.criteria.clone()).to_json(entity.kind(), words))
            }
            Some(field) => entity.properties.get(field.name()).cloned(),
            None => entity.properties.get(name).cloned(),
        };
        let before = whole.or(written).filter(|value| !value.is_null());
        let is_list =
            field.map_or_else(|| before.as_ref().is_none_or(Json::is_array), Field::is_list);
        if !is_list {
            let reason = "it is no list; give its value".to_owned();
            return Err(ProjectError::InvalidField { field: name.to_owned(), reason });
        }
        Ok(self.interpret(&entity.path, |interpreter| {
            let parse = |item: &Json| interpreter.parse(field?, entity.kind(), item).ok();
            let is_same = |one: &Json, other: &Json| match (parse(one), parse(other)) {
                (Some(one), Some(other)) => one == other,
                _ => one == other,
            };
            let mut items = before.as_ref().map(split_items).unwrap_or_default();
            items.retain(|item| !removed.iter().any(|gone| is_same(item, gone)));
            for new in added {
                if !items.iter().any(|item| is_same(item, &new)) {
                    items.push(new);
                }
            }
            items.into()
        }))
    }
}

/// Items by the names of their fields.
fn parse_lists(name: &str, given: Option<Json>) -> Result<Properties> {
    match given {
        None | Some(Json::Null) => Ok(Properties::new()),
        Some(Json::Object(lists)) => Ok(lists),
        Some(_) => {
            let reason = "expected lists by their names, such as { labels: [urgent] }".to_owned();
            Err(ProjectError::InvalidField { field: name.to_owned(), reason })
        }
    }
}
