//! What replicas share, beside the state of calls.

use std::num::NonZeroU32;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::broadcast;
use toolwrit_core::audit::storage::Stored;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::dialogue::confirmed::Confirmed;
use toolwrit_core::shared::{
    Binding, ConfirmationToken, Heard, Kept, Limited, Notice, Purpose, ReplicaFigures, RequestRate,
    SealKeys, Shared,
};

use crate::kept::{self, Joining, Name};
use crate::store::{Inner, Schema, Store};
use crate::tokens::{self, TokenDigest};

impl Store {
    /// Counts a call on the replica's thread.
    fn limited(
        &self,
        work: impl Future<Output = Limited> + Send + 'static,
    ) -> BoxFuture<'_, Limited> {
        let work = self.runtime.spawn(work);
        // A replica that has ended limits nothing.
        async move { work.await.unwrap_or(Ok(())) }.boxed()
    }

    fn join(
        &self,
        name: Name,
        joining: Joining,
        text: String,
        lifetime: Duration,
    ) -> Stored<'_, ()> {
        let inner = self.inner.clone();
        self.run(
            async move { kept::keep(&inner.database, &name, joining, (&text, lifetime)).await },
        )
        .boxed()
    }
}

impl Shared for Store {
    fn replica(&self) -> Option<&str> {
        Some(&self.inner.settings.replica)
    }

    fn unready(&self) -> Option<String> {
        match &*self.inner.schema.borrow() {
            Schema::Unknown => return Some("the database has not answered yet".to_owned()),
            Schema::Unfit(reason) => return Some(reason.clone()),
            Schema::Fits(_) => {}
        }
        // After that, an answer that is late makes no replica unready: all would be at once.
        let missing = if self.inner.lease.age().is_none() {
            "the replica has not registered itself yet"
        } else if !self.inner.keys.are_known() {
            "the replica has no keys yet, which seal what clients carry"
        } else {
            return None;
        };
        Some(missing.to_owned())
    }

    fn figures(&self) -> Option<ReplicaFigures> {
        let status = self.inner.status();
        Some(ReplicaFigures {
            replicas: self.inner.lease.replicas(),
            renewal_age: status.renewed,
            oldest_record: status.audit_oldest.unwrap_or_default(),
            clock_offset: status.clock_offset.map(|offset| offset.as_secs_f64()),
            days_ahead: status.days_ahead,
            unfinished: status.unfinished,
        })
    }

    fn take<'a>(
        &'a self,
        principal: &'a Principal,
        per_second: NonZeroU32,
    ) -> BoxFuture<'a, Limited> {
        let (inner, principal) = (self.inner.clone(), principal.clone());
        self.limited(async move {
            inner.limits.take((&inner.database, &inner.lease), principal, per_second).await
        })
    }

    fn count<'a>(&'a self, principal: &'a Principal, per_hour: u64) -> BoxFuture<'a, Limited> {
        let (inner, principal) = (self.inner.clone(), principal.clone());
        self.limited(async move {
            inner.limits.count((&inner.database, &inner.lease), principal, per_hour).await
        })
    }

    fn count_in_session<'a>(&'a self, session: &'a SessionCalls, most: u64) -> BoxFuture<'a, u64> {
        let (inner, counted) = (self.inner.clone(), session.clone());
        let work = self.runtime.spawn(async move {
            let Inner { limits, database, lease, .. } = &*inner;
            limits.count_in_session((database, lease), &counted, most).await
        });
        async move { work.await.unwrap_or_else(|_| session.count()) }.boxed()
    }

    fn take_request<'a>(
        &'a self,
        api: &'a str,
        rate: RequestRate,
    ) -> BoxFuture<'a, Option<Limited>> {
        let (inner, api) = (self.inner.clone(), api.to_owned());
        let work = self.runtime.spawn(async move {
            inner.limits.take_request((&inner.database, &inner.lease), api, rate).await
        });
        // Without its thread, a replica knows of no others.
        async move { work.await.ok().flatten() }.boxed()
    }

    fn issue<'a>(
        &'a self,
        token: &'a ConfirmationToken,
        call: Binding,
        confirmed: Confirmed,
    ) -> Stored<'a, ()> {
        let (inner, token) = (self.inner.clone(), TokenDigest::of(token.as_str()));
        self.run(async move { tokens::issue(&inner.database, token, call, confirmed).await })
            .boxed()
    }

    fn redeem<'a>(&'a self, token: &'a str, call: Binding) -> Stored<'a, Option<Confirmed>> {
        let (inner, token) = (self.inner.clone(), TokenDigest::of(token));
        self.run(async move { tokens::redeem(&inner.database, token, call).await }).boxed()
    }

    fn keys(&self, purpose: Purpose) -> Option<SealKeys> {
        self.inner.keys.of(purpose)
    }

    fn publish(&self, notice: Notice) -> BoxFuture<'static, ()> {
        self.inner.notices.publish(notice).boxed()
    }

    fn watch(&self) -> Option<broadcast::Receiver<Heard>> {
        Some(self.inner.notices.watch())
    }

    fn hears(&self) -> bool {
        self.inner.notices.hears()
    }

    fn replicas(&self) -> u32 {
        self.inner.lease.replicas()
    }

    fn lease<'a>(&'a self, name: &'a str) -> Stored<'a, Option<String>> {
        let (inner, name) = (self.inner.clone(), name.to_owned());
        self.run(async move { inner.leases.take(&inner.database, &name).await }).boxed()
    }

    fn release<'a>(&'a self, name: &'a str) -> BoxFuture<'a, ()> {
        let (inner, name) = (self.inner.clone(), name.to_owned());
        // What cannot be released lapses.
        self.run(async move { inner.leases.release(&inner.database, &name).await })
            .map(drop)
            .boxed()
    }

    fn keep<'a>(
        &'a self,
        kind: Kept,
        id: &'a str,
        text: String,
        lifetime: Duration,
    ) -> Stored<'a, ()> {
        self.join(Name::new(kind, id), Joining::Replacing, text, lifetime)
    }

    fn kept<'a>(&'a self, kind: Kept, id: &'a str) -> Stored<'a, Option<String>> {
        let (inner, name) = (self.inner.clone(), Name::new(kind, id));
        self.run(async move { kept::read(&inner.database, &name).await }).boxed()
    }

    fn add<'a>(
        &'a self,
        kind: Kept,
        id: &'a str,
        text: String,
        lifetime: Duration,
    ) -> Stored<'a, ()> {
        self.join(Name::new(kind, id), Joining::Following, text, lifetime)
    }

    fn collect<'a>(&'a self, kind: Kept, id: &'a str) -> Stored<'a, Vec<String>> {
        let (inner, name) = (self.inner.clone(), Name::new(kind, id));
        self.run(async move { kept::collect(&inner.database, &name).await }).boxed()
    }
}
