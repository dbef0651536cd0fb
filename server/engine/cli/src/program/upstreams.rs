//! The servers of others that the configuration names, as a part of the program.

use std::sync::Arc;

use crate::config::Config;
use crate::exit::Exit;
use crate::program::opening::Opening;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::{Authority, NameTaken};
use toolwrit_core::policy::Unmatched;
#[cfg(feature = "manifest")]
use toolwrit_core::provider::Supervised;
use toolwrit_gateway::upstreams::{Gateway, InvalidAddition, NotOffered, Starting};

/// The servers of others. By default none.
#[derive(Default)]
pub(crate) struct Upstreams {
    gateway: Option<Arc<Gateway>>,
    /// Whether the process serves, and does not only make a call.
    serves: bool,
}

impl Upstreams {
    /// The servers of a gateway. `serves` says whether the process serves, and does not only make a call.
    pub(crate) fn new(gateway: Gateway, serves: bool) -> Self {
        Self { gateway: Some(Arc::new(gateway)), serves }
    }

    /// Returns an authority with a category for each upstream, and with the focus modes and roles of the configuration.
    ///
    /// # Errors
    /// If one has the name of a category or a provider, or a focus mode or role cannot be added.
    pub(crate) fn extend(&self, authority: &Authority, config: &Config) -> Result<Authority, Exit> {
        let Some(gateway) = &self.gateway else { return Ok(authority.clone()) };
        gateway.extend(authority).map_err(|invalid| match invalid {
            InvalidAddition::Name(NameTaken(name)) => Exit::Configuration(format!(
                "the upstream `{name}` has the name of a category or a provider of this server; rename [upstreams.{name}]"
            )),
            InvalidAddition::Mode(invalid) => config.invalid_mode(&invalid),
        })
    }

    /// Takes over what was decided about the upstreams at other replicas, now and later.
    ///
    /// # Errors
    /// If this process cannot write into the folder where it keeps them.
    pub(crate) async fn follow(&self, state: &State) -> Result<(), Exit> {
        let Some(gateway) = &self.gateway else { return Ok(()) };
        gateway.follow(state).await.map_err(|error| {
            Exit::Failed(format!(
                "{error}; a replica keeps there what is decided about upstreams, so let it write to this folder"
            ))
        })
    }

    /// Opens the application together with the upstreams. `authority` has their categories.
    pub(crate) fn join(&self, opening: Opening, authority: &Authority) -> Opening {
        let Some(gateway) = self.gateway.clone() else { return opening };
        let starting = if self.serves { Starting::Configured } else { Starting::OnCall };
        let authority = authority.clone();
        Box::pin(async move { Ok(gateway.open(opening.await?, authority, starting).await) })
    }

    /// Returns an authority with the tools that are approved, and why some are not operations.
    pub(crate) fn approved(&self, authority: Authority) -> (Authority, Vec<NotOffered>) {
        match &self.gateway {
            Some(gateway) => gateway.approved(authority),
            None => (authority, Vec::new()),
        }
    }

    /// The patterns of tables of upstreams that match no approved tool.
    pub(crate) fn unmatched(&self) -> Vec<Unmatched> {
        self.gateway.as_ref().map(|gateway| gateway.unmatched()).unwrap_or_default()
    }

    /// The providers of the upstreams, once the application is open.
    #[cfg(feature = "manifest")]
    pub(crate) fn providers(&self) -> Vec<Arc<dyn Supervised>> {
        self.gateway.as_ref().map(|gateway| gateway.providers()).unwrap_or_default()
    }
}
