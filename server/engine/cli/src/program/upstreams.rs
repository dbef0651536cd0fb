//! The servers of others that the configuration names, as a part of the program.

use std::sync::Arc;

use crate::exit::Exit;
use crate::program::opening::Opening;
use toolwrit_core::authority::Authority;
#[cfg(feature = "manifest")]
use toolwrit_core::provider::Supervised;
use toolwrit_gateway::upstreams::{Gateway, NotOffered, Starting};

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

    /// Returns an authority with a category for each upstream.
    ///
    /// # Errors
    /// If one has the name of a category or a provider.
    pub(crate) fn extend(&self, authority: &Authority) -> Result<Authority, Exit> {
        let Some(gateway) = &self.gateway else { return Ok(authority.clone()) };
        gateway.extend(authority).map_err(|taken| {
            Exit::Configuration(format!(
                "the upstream `{0}` has the name of a category or a provider of this server; rename [upstreams.{0}]",
                taken.0
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

    /// The providers of the upstreams, once the application is open.
    #[cfg(feature = "manifest")]
    pub(crate) fn providers(&self) -> Vec<Arc<dyn Supervised>> {
        self.gateway.as_ref().map(|gateway| gateway.providers()).unwrap_or_default()
    }
}
