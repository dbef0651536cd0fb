//! Authors' providers, as the engine supervises them.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{Offers, Provider, Supervised};
use crate::authority::DynamicOperation;
use crate::availability::Probe;
use crate::call::context::Context;
use crate::fault::Result;

/// A provider that adds no operations.
pub struct Probed<P>(pub P);

/// A provider that adds operations.
pub struct Offering<P>(pub P);

macro_rules! forward_provider {
    ($adapter:ident, $bound:ident) => {
        impl<P: $bound> Provider for $adapter<P> {
            fn name(&self) -> &str {
                self.0.name()
            }

            fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
                self.0.probe()
            }

            fn changed(&self) -> BoxFuture<'_, ()> {
                self.0.changed()
            }
        }
    };
}

impl<P: Provider + ?Sized> Provider for Arc<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        (**self).probe()
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        (**self).changed()
    }
}

impl<P: Offers + ?Sized> Offers for Arc<P> {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        (**self).operations()
    }

    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        (**self).problems()
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        (**self).call(operation, cx, arguments)
    }
}

forward_provider!(Probed, Provider);
forward_provider!(Offering, Offers);

impl<P: Provider> Offers for Probed<P> {}

impl<P: Offers> Offers for Offering<P> {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        self.0.operations()
    }

    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        self.0.problems()
    }

    fn call<'a>(
        &'a self,
        operation: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        self.0.call(operation, cx, arguments)
    }
}

impl<P: Provider> Supervised for Probed<P> {}
impl<P: Offers> Supervised for Offering<P> {}
