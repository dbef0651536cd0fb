//! What the language of manifests allows at a place.

use serde_json::Value;
use toolwrit_manifest::editor::{Reference, editor_schema, key_reference, reference};

use crate::outline::Step;
use crate::schema::{Key, Spot};

/// The language of manifests.
#[derive(Debug)]
pub(crate) struct Language {
    schema: Value,
}

/// What stands at a place.
#[derive(Debug)]
pub(crate) struct Spots<'l> {
    spots: Vec<Spot<'l>>,
    definitions: &'l Value,
}

impl Language {
    pub(crate) fn new() -> Self {
        Self { schema: editor_schema() }
    }

    /// What stands at a path of a root file, or of an included one.
    pub(crate) fn schemas_at(&self, is_root: bool, path: &[Step]) -> Spots<'_> {
        let root = Spot::root(&self.schema[if is_root { "then" } else { "else" }]);
        let definitions = &self.schema["definitions"];
        Spots { spots: root.descend(definitions, path), definitions }
    }
}

impl<'l> Spots<'l> {
    pub(crate) fn keys(&self) -> Vec<Key<'l>> {
        self.spots.iter().flat_map(|spot| spot.keys(self.definitions)).collect()
    }

    pub(crate) fn values(&self) -> Vec<String> {
        self.spots.iter().flat_map(|spot| spot.values(self.definitions)).collect()
    }

    /// What the keys of a mapping here name.
    pub(crate) fn key_reference(&self) -> Option<Reference> {
        let mut owners = self.spots.iter().filter_map(|spot| spot.owner);
        owners.find_map(|(mapping, key)| key_reference(mapping, key))
    }

    /// What a text here names.
    pub(crate) fn reference(&self) -> Option<Reference> {
        self.spots
            .iter()
            .find_map(|spot| spot.owner.and_then(|(mapping, key)| reference(mapping, key)))
    }

    /// The description of the key, and the kind of its value.
    pub(crate) fn description(&self) -> Option<String> {
        let description = self.spots.iter().find_map(|spot| spot.description())?;
        Some(description.replace('\n', " "))
    }

    pub(crate) fn kind(&self) -> String {
        let mut kinds: Vec<String> =
            self.spots.iter().map(|spot| spot.kind(self.definitions)).collect();
        kinds.dedup();
        kinds.join(" or ")
    }

    pub(crate) fn definitions(&self) -> &'l Value {
        self.definitions
    }
}
