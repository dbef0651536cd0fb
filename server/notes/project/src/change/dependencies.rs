//! Changes of single dependencies.

use serde_json::Value as Json;
use toolwrit_frontmatter::Properties;

use super::draft::Draft;
use crate::error::{ProjectError, Result};
use crate::model::{Entity, Field, FieldValue};

/// What callers can give in place of the whole list.
pub(super) const ADD: &str = "add_dependencies";
pub(super) const REMOVE: &str = "remove_dependencies";

impl Draft<'_> {
    /// Turns single dependencies into the whole list.
    pub(super) fn change_dependencies(&self, entity: &Entity, data: &mut Properties) -> Result<()> {
        let has = |name: &str| entity.properties.contains_key(name);
        let (added, removed) = (data.get(ADD).cloned(), data.get(REMOVE).cloned());
        if (added.is_none() && removed.is_none()) || has(ADD) || has(REMOVE) {
            return Ok(());
        }
        data.shift_remove(ADD);
        data.shift_remove(REMOVE);
        let field = Field::DependsOn.name();
        let given = data.get(field).cloned();
        let parse = |value: Option<Json>| {
            let value = value.filter(|value| !value.is_null());
            let parsed = self.interpret(&entity.path, |interpreter| {
                value.map(|value| interpreter.parse(Field::DependsOn, entity.kind(), &value))
            });
            match parsed {
                Some(Ok(FieldValue::Ids(ids))) => Ok(ids),
                Some(Err(misfit)) => Err(ProjectError::InvalidField {
                    field: ADD.to_owned(),
                    reason: misfit.to_string(),
                }),
                _ => Ok(Vec::new()),
            }
        };
        let removed = parse(removed)?;
        let mut ids = if given.is_some() { parse(given)? } else { entity.depends_on.clone() };
        ids.retain(|id| !removed.contains(id));
        let mut items: Vec<Json> = ids.iter().map(|id| id.to_string().into()).collect();
        match added {
            Some(Json::Array(added)) => items.extend(added),
            Some(added) if !added.is_null() => items.push(added),
            _ => {}
        }
        data.insert(field.to_owned(), items.into());
        Ok(())
    }
}
