//! The names of resources and prompts as operations, and of their categories.

use crate::raw::{Entry, RawManifest};

pub(in crate::check) const RESOURCES: &str = "resources";
pub(in crate::check) const PROMPTS: &str = "prompts";

/// The names of the categories that are added to the declared ones.
pub(in crate::check) fn categories(raw: &RawManifest) -> Vec<&'static str> {
    let no_prompt = raw.prompts.is_empty() && raw.cookbooks.is_empty();
    let kinds = [(RESOURCES, raw.resources.is_empty()), (PROMPTS, no_prompt)];
    kinds.into_iter().filter(|(_, is_empty)| !is_empty).map(|(name, _)| name).collect()
}

/// The ids of the operations, in the order of [`operations`](crate::check::served::operations).
pub(super) fn ids(raw: &RawManifest) -> impl Iterator<Item = String> {
    let resources = raw.resources.iter().map(|Entry { key, .. }| id(RESOURCES, &key.value));
    let prompts = raw.prompts.iter().map(|Entry { key, .. }| id(PROMPTS, &key.value));
    let cookbooks = raw.cookbooks.iter().map(|Entry { key, .. }| id(PROMPTS, &key.value));
    resources.chain(prompts).chain(cookbooks)
}

/// The id of the operation of a resource or a prompt.
pub(in crate::check) fn id(category: &str, name: &str) -> String {
    format!("{category}.{name}")
}
