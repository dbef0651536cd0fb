//! Lists resources, and finds the resource of a URI.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{Endpoint, Request};
use crate::uri::Template;
use toolwrit_core::authority::{Authority, Operation, Resource, Served};
use toolwrit_core::dialogue::Interrupt;
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::updates::Subscription;
use toolwrit_text::{nearest, shorten};

/// The URI templates of an authority's resources, compiled when the first resource is read.
pub(super) struct Templates(
    LazyLock<Vec<Option<Template>>, Box<dyn FnOnce() -> ParsedTemplates + Send>>,
);

type ParsedTemplates = Vec<Option<Template>>;

impl Templates {
    pub(super) fn new(authority: Authority) -> Self {
        let parse = move || {
            let resources = authority.tables().resources.iter();
            resources.map(|resource| Template::parse(&resource.uri)).collect()
        };
        Self(LazyLock::new(Box::new(parse)))
    }
}

impl Endpoint {
    /// Whether the caller may use an operation of this kind.
    pub(crate) fn serves(&self, is_kind: impl Fn(&Served) -> bool) -> bool {
        let mut operations = self.tables().operations.iter().enumerate();
        operations.any(|(at, operation)| is_kind(&operation.served) && self.policy.shows(at))
    }

    /// Returns the resources that the caller may read, and the operations that read them.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (&Resource, &Operation)> {
        let tables = self.tables();
        let visible =
            tables.resources.iter().filter(|resource| self.policy.shows(resource.operation.into()));
        visible.map(|resource| (resource, &*tables.operations[usize::from(resource.operation)]))
    }

    /// Returns the operation that reads a resource.
    fn reader(&self, resource: &Resource) -> &Operation {
        &self.tables().operations[usize::from(resource.operation)]
    }

    /// Returns the resource of a URI, with the values of its variables. A resource without variables takes
    /// precedence over templates, and those of the manifest over those of providers.
    ///
    /// # Errors
    /// `NOT_FOUND` if this caller has no such resource.
    pub(crate) fn resource(&self, uri: &str) -> Result<(&Resource, Map<String, Value>)> {
        let resources = self.tables().resources.iter().zip(self.prepared.templates.0.iter());
        let known = resources.filter(|(resource, _)| self.policy.knows(resource.operation.into()));
        let mut found: Vec<_> = known
            .filter_map(|(resource, template)| Some((resource, template.as_ref()?.matches(uri)?)))
            .collect();
        let is_joined = |resource: &Resource| self.reader(resource).is_dynamic;
        found.sort_by_key(|(resource, _)| (resource.is_template(), is_joined(resource)));
        let mut others = found.iter().skip(1).map(|(resource, _)| resource.operation);
        match found.first() {
            None => Err(self.no_resource(uri)),
            Some((resource, _)) if is_joined(resource) => {
                if resource.is_template() && others.any(|other| other != resource.operation) {
                    let message = "Several servers have a resource of this URI.";
                    return Err(Fault::not_found(message));
                }
                // Its operation reads all resources of a provider.
                Ok((resource, Map::from_iter([("uri".to_owned(), uri.into())])))
            }
            Some((resource, variables)) => Ok((resource, variables.clone())),
        }
    }

    fn no_resource(&self, uri: &str) -> Fault {
        let short = shorten::name(uri);
        let close =
            nearest::closest(uri, self.resources().map(|(resource, _)| resource.uri.as_str()));
        Fault::not_found(format!("There is no resource `{short}`.")).did_you_mean(close)
    }

    /// Whether the caller may subscribe to updates of this resource.
    pub(crate) fn can_subscribe(&self, uri: &str) -> bool {
        self.announced(uri).is_some()
    }

    /// Subscribes the caller to this resource; `None` if it may not.
    pub(crate) fn subscribe(&self, uri: &str) -> Option<Subscription> {
        let resource = self.announced(uri)?;
        let reader = self.policy.authority.operation(resource.operation.into());
        Some(self.engine.updates.subscribe(reader.added_by(), uri))
    }

    /// Finds a resource whose updates the caller may receive.
    fn announced(&self, uri: &str) -> Option<&Resource> {
        let (found, _) = self.resource(uri).ok()?;
        (found.subscribe && self.policy.shows(found.operation.into())).then_some(found)
    }

    /// Whether there are updates that the caller may receive, perhaps of resources that a provider will list later.
    pub(crate) fn announces_updates(&self) -> bool {
        let authority = &self.policy.authority;
        let is_later =
            |at: usize| self.policy.shows(at) && authority.operation(at).announces_changes();
        self.resources().any(|(resource, _)| resource.subscribe)
            || (0..self.tables().operations.len()).any(is_later)
    }

    /// Reads the resource with this URI. The value is `{text | blob, mimeType?}`, or a list of those with their URIs.
    ///
    /// # Errors
    /// The fault of the call; `NOT_FOUND` if the resource does not exist.
    pub(crate) async fn read(
        &self,
        uri: &str,
        request: Request,
    ) -> std::result::Result<(&Resource, Value), Interrupt> {
        let (resource, variables) = match self.resource(uri) {
            Ok(found) => found,
            Err(fault) => return Err(self.refused("resources/read", request, fault).into()),
        };
        let value = self.run(resource.operation, variables, request).await?;
        Ok((resource, value))
    }
}
