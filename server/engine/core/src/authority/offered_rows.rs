//! The rows of resources and prompts that providers offer.

use std::collections::HashMap;
use std::sync::Arc;

use super::dynamic::InvalidDynamicOperation;
use super::joined::Joined;
use toolwrit_words::{OfferedPrompt, OfferedResource};

use super::offered::Offered;
use super::{Prompt, PromptArgument, Resource, Tables};

/// The names that are offered once. One of several providers could take the place of another's, so that none is served.
struct Unique<'a> {
    tables: &'a Tables,
    counts: HashMap<&'a str, usize>,
}

impl<'a> Unique<'a> {
    fn new(tables: &'a Tables, joined: &'a [Arc<Joined>]) -> Self {
        let mut counts = HashMap::new();
        for name in joined.iter().flat_map(|joined| joined.operation.offered.names()) {
            *counts.entry(name).or_default() += 1;
        }
        Self { tables, counts }
    }

    fn has(&self, name: &str) -> bool {
        self.counts.get(name) == Some(&1)
            && !self.tables.resources.iter().any(|resource| resource.uri == name)
            && !self.tables.prompts.iter().any(|prompt| prompt.name == name)
    }
}

/// Returns why some resources and prompts of a provider are not served.
pub(super) fn taken(
    tables: &Tables,
    joined: &[Arc<Joined>],
    provider: &str,
) -> Vec<InvalidDynamicOperation> {
    let unique = Unique::new(tables, joined);
    let of_provider = joined.iter().filter(|joined| joined.is_of(tables, provider));
    let names = of_provider.flat_map(|joined| {
        joined.operation.offered.names().map(|name| (&joined.operation.id, name))
    });
    let taken = names.filter(|(_, name)| !unique.has(name));
    let why = |(id, name): (&String, &str)| InvalidDynamicOperation::Taken {
        id: id.clone(),
        name: name.to_owned(),
    };
    taken.map(why).collect()
}

/// Adds the rows of the resources and prompts of providers. `first` is the position of the first dynamic operation.
pub(super) fn rows(
    tables: &Tables,
    joined: &[Arc<Joined>],
    first: usize,
) -> (Arc<[Resource]>, Arc<[Prompt]>) {
    let unique = Unique::new(tables, joined);
    let mut resources = tables.resources.to_vec();
    let mut prompts = tables.prompts.to_vec();
    for (at, joined) in (first..).zip(joined) {
        // `join` has ensured that the position fits.
        let operation = u16::try_from(at).unwrap_or(u16::MAX);
        match &joined.operation.offered {
            Offered::Tool | Offered::Completions => {}
            Offered::Resources { listed, subscribe } => {
                let offered =
                    listed.iter().filter(|listed_resource| unique.has(&listed_resource.uri));
                resources.extend(
                    offered.map(|listed_resource| resource(listed_resource, *subscribe, operation)),
                );
            }
            Offered::Prompts(offered) => {
                let offered =
                    offered.iter().filter(|offered_prompt| unique.has(&offered_prompt.name));
                prompts.extend(offered.map(|offered_prompt| prompt(offered_prompt, operation)));
            }
        }
    }
    (resources.into(), prompts.into())
}

fn resource(offered: &OfferedResource, subscribe: bool, operation: u16) -> Resource {
    Resource {
        name: offered.name.clone(),
        uri: offered.uri.clone(),
        title: offered.title.clone(),
        description: offered.description.clone(),
        mime_type: offered.mime_type.clone(),
        subscribe,
        operation,
    }
}

fn prompt(offered: &OfferedPrompt, operation: u16) -> Prompt {
    let arguments = offered.arguments.iter().map(|argument| PromptArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        required: argument.required,
    });
    Prompt {
        name: offered.name.clone(),
        title: offered.title.clone(),
        description: offered.description.clone(),
        arguments: Some(arguments.collect()),
        template: None,
        operation,
    }
}
