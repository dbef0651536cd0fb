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
    own: &'a Tables,
    counts: HashMap<&'a str, usize>,
}

impl<'a> Unique<'a> {
    fn of(own: &'a Tables, joined: &'a [Arc<Joined>]) -> Self {
        let mut counts = HashMap::new();
        for name in joined.iter().flat_map(|joined| joined.operation.offered.names()) {
            *counts.entry(name).or_default() += 1;
        }
        Self { own, counts }
    }

    fn has(&self, name: &str) -> bool {
        self.counts.get(name) == Some(&1)
            && !self.own.resources.iter().any(|own| own.uri == name)
            && !self.own.prompts.iter().any(|own| own.name == name)
    }
}

/// Returns why some resources and prompts of a provider are not served.
pub(super) fn taken(
    own: &Tables,
    joined: &[Arc<Joined>],
    provider: &str,
) -> Vec<InvalidDynamicOperation> {
    let unique = Unique::of(own, joined);
    let of_provider = joined.iter().filter(|joined| joined.is_of(own, provider));
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
    own: &Tables,
    joined: &[Arc<Joined>],
    first: usize,
) -> (Arc<[Resource]>, Arc<[Prompt]>) {
    let unique = Unique::of(own, joined);
    let mut resources = own.resources.to_vec();
    let mut prompts = own.prompts.to_vec();
    for (at, joined) in (first..).zip(joined) {
        // `join` has ensured that the position fits.
        let operation = u16::try_from(at).unwrap_or(u16::MAX);
        match &joined.operation.offered {
            Offered::Tool | Offered::Completions => {}
            Offered::Resources { listed, subscribe } => {
                let offered = listed.iter().filter(|own| unique.has(&own.uri));
                resources.extend(offered.map(|own| resource(own, *subscribe, operation)));
            }
            Offered::Prompts(offered) => {
                let offered = offered.iter().filter(|own| unique.has(&own.name));
                prompts.extend(offered.map(|own| prompt(own, operation)));
            }
        }
    }
    (resources.into(), prompts.into())
}

fn resource(own: &OfferedResource, subscribe: bool, operation: u16) -> Resource {
    Resource {
        name: own.name.clone(),
        uri: own.uri.clone(),
        title: own.title.clone(),
        description: own.description.clone(),
        mime_type: own.mime_type.clone(),
        subscribe,
        operation,
    }
}

fn prompt(own: &OfferedPrompt, operation: u16) -> Prompt {
    let arguments = own.arguments.iter().map(|own| PromptArgument {
        name: own.name.clone(),
        description: own.description.clone(),
        required: own.required,
    });
    Prompt {
        name: own.name.clone(),
        title: own.title.clone(),
        description: own.description.clone(),
        arguments: Some(arguments.collect()),
        template: None,
        operation,
    }
}
