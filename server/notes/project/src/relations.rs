//! How entities refer to each other.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::{Entity, EntityId};

/// Most cycles that are reported. They are corrected one by one.
const MOST_CYCLES: usize = 100;

/// The relations between the entities of a project. Those to entities that do not exist are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Relations {
    children: HashMap<EntityId, Vec<EntityId>>,
    prerequisites: HashMap<EntityId, Vec<EntityId>>,
    dependents: HashMap<EntityId, Vec<EntityId>>,
}

impl Relations {
    pub(crate) fn new(entities: &BTreeMap<EntityId, Arc<Entity>>) -> Self {
        let mut relations = Self::default();
        for (&id, entity) in entities {
            if let Some(parent) = entity.parent.filter(|parent| entities.contains_key(parent)) {
                relations.children.entry(parent).or_default().push(id);
            }
            let before = entity.depends_on.iter().map(|&first| (first, id));
            let after = entity.enables.iter().map(|&then| (id, then));
            for (first, then) in before.chain(after) {
                if entities.contains_key(&first) && entities.contains_key(&then) {
                    relations.prerequisites.entry(then).or_default().push(first);
                    relations.dependents.entry(first).or_default().push(then);
                }
            }
        }
        for list in relations.prerequisites.values_mut().chain(relations.dependents.values_mut()) {
            list.sort_unstable();
            list.dedup();
        }
        relations
    }

    /// The entities whose parent it is, in the order of their ids.
    pub(crate) fn children(&self, id: EntityId) -> &[EntityId] {
        self.children.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The entities that must be done before it: those that it depends on, and those that enable it.
    pub(crate) fn prerequisites(&self, id: EntityId) -> &[EntityId] {
        self.prerequisites.get(&id).map_or(&[], Vec::as_slice)
    }

    /// The entities before which it must be done.
    pub(crate) fn dependents(&self, id: EntityId) -> &[EntityId] {
        self.dependents.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Cycles that can be reached from some entities. In each, every entity leads to the next, and the last one
/// to the first.
pub(crate) fn find_cycles(
    starts: impl IntoIterator<Item = EntityId>,
    next: impl Fn(EntityId) -> Vec<EntityId>,
) -> Vec<Vec<EntityId>> {
    let mut cycles = Vec::new();
    // The position on the current way, or `None` for an entity that was left.
    let mut seen: HashMap<EntityId, Option<usize>> = HashMap::new();
    for start in starts {
        if seen.contains_key(&start) {
            continue;
        }
        let mut way = vec![(start, next(start).into_iter())];
        seen.insert(start, Some(0));
        while let Some((id, after)) = way.last_mut() {
            let id = *id;
            let Some(to) = after.next() else {
                seen.insert(id, None);
                way.pop();
                continue;
            };
            match seen.get(&to) {
                Some(None) => {}
                Some(&Some(position)) => {
                    cycles.push(way[position..].iter().map(|(id, _)| *id).collect());
                    if cycles.len() == MOST_CYCLES {
                        return cycles;
                    }
                }
                None => {
                    seen.insert(to, Some(way.len()));
                    way.push((to, next(to).into_iter()));
                }
            }
        }
    }
    cycles
}
