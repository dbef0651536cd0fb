//! The limits of APIs, over all replicas of the server.

use std::num::{NonZeroU16, NonZeroU32};

use toolwrit_bindings::model::Rate;
use toolwrit_bindings::{Limited, SharedLimits, Waiting};
use toolwrit_core::shared::{Replicas, RequestRate};

/// The replicas, as the connection to an API asks them.
pub(super) struct OverReplicas(pub(super) Replicas);

impl SharedLimits for OverReplicas {
    fn servers(&self) -> NonZeroU32 {
        self.0.count()
    }

    fn take<'a>(&'a self, api: &'a str, rate: Rate) -> Waiting<'a, Option<Limited>> {
        let rate = RequestRate { requests: rate.requests, per: rate.per };
        Box::pin(self.0.take_request(api, rate))
    }

    fn slot<'a>(&'a self, api: &'a str, most: NonZeroU16) -> Waiting<'a, Option<Box<dyn Send>>> {
        Box::pin(async move {
            let slot = self.0.slot(api, most.get().into()).await.ok()?;
            Some(Box::new(slot) as Box<dyn Send>)
        })
    }
}
