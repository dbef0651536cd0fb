//! Providers: software outside the server that operations need, and that may add operations of its own while the
//! server runs. `supervisor` examines them.

mod adapters;
mod control;
mod supervisor;

use std::future::{pending, ready};

pub use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::authority::DynamicOperation;
use crate::availability::{Probe, UpstreamFigures, Withheld};
use crate::call::bound_call::BoundCall;
use crate::call::context::Context;
use crate::fault::{Code, Fault, Result};
use crate::updates::Updates;

pub use adapters::{Offering, Probed};
pub use control::{Control, OperatorView};
pub use supervisor::{SupervisedProviders, Supervisors};

/// What is known of a provider before it is examined.
#[derive(Debug)]
pub struct KnownOffer {
    /// Whether it can be used.
    pub probe: Probe,
    /// The operations that it offers, as [`Offers::operations`] returns them.
    pub operations: Vec<DynamicOperation>,
}

/// Software outside the server that operations need. The manifest declares it under `providers`. The engine examines it at the
/// start, when it reports a change, and while requests arrive, about once a second; a request never waits for that.
pub trait Provider: Send + Sync + 'static {
    /// Returns its name in the manifest.
    fn name(&self) -> &str;

    /// Examines whether it can be used. May block its thread, for at most ten seconds.
    ///
    /// # Errors
    /// If that cannot be found out. Three failures in a row disable the provider, until a later probe succeeds.
    fn probe(&self) -> BoxFuture<'_, Result<Probe>>;

    /// Completes when it may have changed since the last call. Never completes by default.
    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(pending())
    }
}

/// A provider that adds operations of its own while the server runs. The manifest says to which categories it may add them.
pub trait Offers: Provider {
    /// Returns the operations that it offers now, in addition to those of the manifest. Called after a probe that
    /// found it available, at the start, after a change and after a failure. May block its thread.
    ///
    /// # Errors
    /// Counts as a failed probe.
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// Returns what it cannot use and its user can correct, such as a file that is not understood, as sentences
    /// that name it. They are part of its capabilities. Called after `operations`. May block its thread.
    ///
    /// # Errors
    /// Counts as a failed probe.
    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    /// Runs one of these operations. The arguments fit its schema.
    ///
    /// # Errors
    /// The fault with which the call ends. Faults of the provider itself (`UPSTREAM_ERROR`,
    /// `PROVIDER_UNAVAILABLE`, `INTERNAL`, and calls that time out) count as failures.
    fn call<'a>(
        &'a self,
        operation: &'a str,
        _cx: &'a Context,
        _arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        let fault = Fault::new(Code::ToolNotFound, format!("There is no operation `{operation}`."));
        Box::pin(ready(Err(fault)))
    }
}

/// A provider as the engine supervises it: authors' providers with [`Probed`] and [`Offering`], and those of the engine itself,
/// which carry out bound operations or are other servers.
pub trait Supervised: Offers {
    /// Returns what is known of it before it is examined, so that a server begins with its operations. Must not block.
    fn known(&self) -> Option<KnownOffer> {
        None
    }

    /// Whether a probe asks it. One that cannot be asked counts as available if its settings can be used. Must not block.
    fn answers_probes(&self) -> bool {
        true
    }

    /// Returns the operations of the manifest that cannot be used although it can, by id. They are not listed. Called after
    /// `operations`. Must not block.
    fn withheld(&self) -> Withheld {
        Withheld::new()
    }

    /// Returns how it says that its operations are used, as far as an operator has approved it. Called after `operations`. Must
    /// not block.
    fn instructions(&self) -> Option<String> {
        None
    }

    /// Returns what it measures of itself, if it is another server. Must not block.
    fn figures(&self) -> Option<UpstreamFigures> {
        None
    }

    /// Whether calls that fail say nothing about it, because it finds out itself whether it can be used. Only its probes
    /// then decide.
    fn judges_itself(&self) -> bool {
        false
    }

    /// Carries out an operation that the manifest binds to it.
    ///
    /// # Errors
    /// The fault with which the call ends. It does not count as a failure of the provider, because it may be that of one
    /// account.
    fn call_bound<'a>(&'a self, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>> {
        let (name, operation) = (self.name(), call.operation);
        let fault = Fault::internal(format!("`{operation}` is not bound to `{name}`"));
        Box::pin(ready(Err(fault)))
    }

    /// Identifies what its operations change for an account, or for the user who started the server, such as the address of an
    /// API, as the location of the application does for handlers. Must not block.
    fn location(&self, _account: Option<&str>) -> String {
        String::new()
    }

    /// Returns what an operator sees of it, and can do about it now. Must not block.
    fn operator_view(&self) -> OperatorView {
        OperatorView::default()
    }

    /// Does what an operator has asked for, and waits until it is known whether it helped, for at most ten seconds. The
    /// provider is examined after that, which is all that a test needs by default.
    ///
    /// # Errors
    /// If the provider still cannot be used.
    fn control(&self, _control: Control) -> BoxFuture<'_, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// Announces which of its resources have changed, and follows which of them clients want, until this is dropped. Does
    /// nothing by default.
    fn announce<'a>(&'a self, _updates: &'a Updates) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}
