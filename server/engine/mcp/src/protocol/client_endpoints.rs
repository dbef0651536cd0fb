//! The endpoints of a server for its clients, under one authority. Most clients share the general endpoint.

use std::sync::Arc;

use rmcp::model::{CacheScope, Implementation, Prompt, Resource, ResourceTemplate, ServerConfig};

use super::{capabilities, prompt, resource};
use crate::endpoint::{Endpoint, Engine};
use crate::surface::{Listing, SurfaceConfig};
use toolwrit_core::authority::{Authority, Instance};
use toolwrit_core::caller::sender::ClientInfo;
use toolwrit_core::policy::Policy;

/// The endpoints, and the lists and server information that clients get.
pub(super) struct ClientEndpoints {
    engine: Arc<Engine>,
    pub(super) general: Arc<Endpoint>,
    clients: Vec<(String, Arc<Endpoint>)>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) config: ServerConfig,
    pub(super) scope: CacheScope,
    /// Whether handlers send log messages to clients that ask for them.
    pub(super) logging: bool,
    /// Whether any operation may continue as a task.
    pub(super) has_tasks: bool,
}

impl ClientEndpoints {
    pub(super) fn new(
        engine: &Arc<Engine>,
        policy: &Policy,
        surface_config: &SurfaceConfig,
    ) -> Self {
        let client_endpoint =
            |options| Arc::new(Endpoint::new(engine.clone(), policy.clone(), options));
        let clients = surface_config
            .clients
            .iter()
            .map(|(name, options)| (name.clone(), client_endpoint(*options)));
        Self::from_parts(engine, client_endpoint(surface_config.general), clients.collect())
    }

    fn from_parts(
        engine: &Arc<Engine>,
        general: Arc<Endpoint>,
        clients: Vec<(String, Arc<Endpoint>)>,
    ) -> Self {
        let (endpoint, policy) = (&*general, &general.policy);
        let tables = policy.tables();
        let logging = tables.server.logging;
        let mut operations = tables.operations.iter().enumerate();
        let has_tasks =
            operations.any(|(at, operation)| operation.task.is_some() && policy.knows(at));
        let capabilities =
            capabilities::capabilities(endpoint, logging, has_tasks, engine.may_change());
        let mut implementation = Implementation::new(&tables.server.name, &tables.server.version);
        implementation.title = title(policy, engine.served_name());
        let mut config = ServerConfig::new(capabilities).with_server_info(implementation);
        config.instructions = instructions(policy, engine.instructions());
        let several = tables.roles.len() > 1;
        Self {
            engine: engine.clone(),
            resources: resource::resources(endpoint),
            templates: resource::templates(endpoint),
            prompts: prompt::prompts(endpoint),
            config,
            scope: if several { CacheScope::Private } else { CacheScope::Public },
            logging,
            has_tasks,
            general,
            clients,
        }
    }

    /// Returns the same endpoints for another authority.
    pub(super) fn over(&self, authority: &Authority) -> Self {
        let over = |endpoint: &Arc<Endpoint>| Arc::new(endpoint.over(authority));
        let clients = self.clients.iter().map(|(name, endpoint)| (name.clone(), over(endpoint)));
        Self::from_parts(&self.engine, over(&self.general), clients.collect())
    }

    /// Returns the endpoint configured for this program, or the general one.
    pub(super) fn endpoint(&self, client: Option<&ClientInfo>) -> &Arc<Endpoint> {
        let client_endpoint = client.and_then(|client| {
            self.clients.iter().find(|(name, _)| name.eq_ignore_ascii_case(client.name()))
        });
        client_endpoint.map_or(&self.general, |(_, endpoint)| endpoint)
    }

    /// Returns every list that a client may have received.
    pub(super) fn lists(&self) -> Lists {
        let clients = self.clients.iter().map(|(_, endpoint)| endpoint.listing());
        Lists {
            tools: std::iter::once(self.general.listing()).chain(clients).collect(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts: self.prompts.clone(),
        }
    }
}

/// Returns the title of the server, which begins with the names of what it serves, so that users can tell several apart.
fn title(policy: &Policy, served: Option<&str>) -> Option<String> {
    let title = policy.tables().server.title.as_ref()?;
    let instances = policy.known_instances().map(|(_, one)| one.name.as_str());
    let names: Vec<&str> = served.into_iter().chain(instances).collect();
    Some(if names.is_empty() { title.clone() } else { format!("{} – {title}", names.join(", ")) })
}

/// Returns the instructions for the model: those of the application, what is served, those of the server, then those of the
/// role. `None` without all.
fn instructions(policy: &Policy, application: Option<&str>) -> Option<String> {
    let server = policy.tables().server.instructions.as_deref();
    let instances = instances(policy);
    let parts = application.into_iter().chain(instances.as_deref()).chain(server);
    let parts: Vec<&str> = parts.chain(policy.persona()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Names the instances that the application serves; `None` if it serves only one.
fn instances(policy: &Policy) -> Option<String> {
    let parameter = policy.tables().categories.iter().find_map(|one| one.instance.as_deref())?;
    let names = policy.known_instances().map(|(at, Instance { name, read_only, .. })| {
        let notes = [(at == 0, "unless you name another"), (*read_only, "read-only")];
        let notes: Vec<&str> =
            notes.iter().filter(|(holds, _)| *holds).map(|note| note.1).collect();
        if notes.is_empty() { name.clone() } else { format!("{name} ({})", notes.join(", ")) }
    });
    let names: Vec<String> = names.collect();
    let list = || format!("The parameter `{parameter}` selects one of: {}.", names.join("; "));
    (names.len() > 1).then(list)
}

/// The lists of a server, to be compared after a change.
pub(super) struct Lists {
    /// One listing for each endpoint.
    pub(super) tools: Vec<Arc<Listing>>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
}

/// Which lists have changed.
#[derive(Clone, Copy)]
pub(super) struct ChangedLists {
    pub(super) tools: bool,
    pub(super) resources: bool,
    pub(super) prompts: bool,
}

impl Lists {
    pub(super) fn changed_from(&self, before: &Self) -> ChangedLists {
        let same = self
            .tools
            .iter()
            .zip(&before.tools)
            .all(|(now, then)| Arc::ptr_eq(now, then) || now.to_json() == then.to_json());
        ChangedLists {
            tools: !same,
            resources: self.resources != before.resources || self.templates != before.templates,
            prompts: self.prompts != before.prompts,
        }
    }
}
