//! Putting entities aside, and bringing them back.

use std::collections::BTreeSet;

use toolwrit_vault::Etag;

use super::data::PropertyChange;
use super::draft::Draft;
use crate::error::Result;
use crate::model::{EntityId, Field};

impl Draft<'_> {
    /// Archives an entity, and everything below it, which remembers it. Returns what was not archived before, and
    /// the entity itself.
    pub(super) fn archive(
        &mut self,
        id: EntityId,
        cascade: bool,
        if_match: Option<&Etag>,
    ) -> Result<Vec<EntityId>> {
        self.check_version(id, if_match)?;
        let mut ids = vec![id];
        let mut at = 0;
        // A cycle of parents ends at what is listed already.
        let mut listed = BTreeSet::from([id]);
        while let Some(&next) = ids.get(at).filter(|_| cascade) {
            let below = self.children(next);
            ids.extend(below.into_iter().filter(|child| listed.insert(*child)));
            at += 1;
        }
        let mut archived = Vec::new();
        for each in ids {
            let entity = self.require_entity(each)?;
            let mut changes = Vec::new();
            if !entity.archived {
                changes.push(PropertyChange::of(Field::Archived, Some(true.into())));
                let with = (each != id)
                    .then(|| PropertyChange::of(Field::ArchivedWith, Some(id.to_string().into())));
                changes.extend(with);
            }
            if each == id || !changes.is_empty() {
                let if_match = if_match.filter(|_| each == id);
                self.set_properties(each, changes, if_match)?;
                archived.push(each);
            }
        }
        Ok(archived)
    }

    /// Brings back what was archived with an entity.
    pub(super) fn restore_below(&mut self, id: EntityId) -> Result<()> {
        let known = self.project.entities().filter(|entity| !self.is_planned(entity.id));
        let with = known.chain(self.planned_entities());
        let with = with.filter(|entity| entity.archived && entity.archived_with == Some(id));
        let with: Vec<EntityId> = with.map(|entity| entity.id).collect();
        for each in with {
            let archived =
                self.require_entity(each)?.properties.contains_key(Field::Archived.name());
            let value = (!archived).then(|| false.into());
            let changes = vec![
                PropertyChange::of(Field::Archived, value),
                PropertyChange::of(Field::ArchivedWith, None),
            ];
            self.set_properties(each, changes, None)?;
        }
        let own = self.require_entity(id)?.archived_with.is_some();
        let forget = own.then(|| PropertyChange::of(Field::ArchivedWith, None));
        self.set_properties(id, forget.into_iter().collect(), None)
    }
}
