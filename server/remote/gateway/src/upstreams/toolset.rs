//! An application together with upstreams.

use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use serde_json::{Map, Value, json};
use tokio_util::task::AbortOnDropHandle;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::authority::{Authority, LiveAuthority};
use toolwrit_core::call::context::Context;
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::{Hooks, Setup, Toolset};
use toolwrit_core::updates::Updates;

use crate::upstreams::additions::Additions;
use crate::upstreams::provider::UpstreamProvider;

/// A toolset whose authority has the categories of upstreams, too.
pub(crate) struct WithUpstreams {
    inner: Arc<dyn Toolset>,
    authority: Authority,
    live: LiveAuthority,
    upstreams: Vec<Arc<UpstreamProvider>>,
    /// They follow decisions of the operator, and changes of the inner authority.
    _tasks: Vec<AbortOnDropHandle<()>>,
}

impl WithUpstreams {
    /// Adds upstreams to an open application. `authority` is that of the application with their categories.
    pub(crate) fn new(
        inner: Arc<dyn Toolset>,
        authority: Authority,
        added: Additions,
        upstreams: Vec<Arc<UpstreamProvider>>,
        told: Option<AbortOnDropHandle<()>>,
    ) -> Self {
        let live = LiveAuthority::new(authority.clone());
        let follow = upstreams.iter().map(|upstream| tokio::spawn(upstream.clone().follow()));
        let mut tasks: Vec<_> = follow.map(AbortOnDropHandle::new).collect();
        tasks.extend(told);
        if let Some(changing) = inner.live() {
            let task = follow_authority(changing.clone(), live.clone(), added);
            tasks.push(AbortOnDropHandle::new(tokio::spawn(task)));
        }
        Self { inner, authority, live, upstreams, _tasks: tasks }
    }
}

/// Adds the categories to each next authority of an application that replaces its own.
async fn follow_authority(inner: LiveAuthority, outer: LiveAuthority, added: Additions) {
    let mut changes = inner.changes();
    while changes.next().await.is_some() {
        match added.extend(&inner.now()) {
            Ok(next) => {
                for why in outer.replace(next) {
                    tracing::warn!(%why, "an operation of a provider does not fit the new authority");
                }
            }
            Err(why) => tracing::warn!(%why, "the new authority cannot have the upstreams"),
        }
    }
}

impl Toolset for WithUpstreams {
    fn authority(&self) -> Authority {
        self.authority.clone()
    }

    fn live(&self) -> Option<&LiveAuthority> {
        Some(&self.live)
    }

    fn call<'a>(
        &'a self,
        operation: usize,
        cx: &'a Context,
        arguments: ArgValues,
    ) -> RunningHandler<'a> {
        // The positions of the application's own operations are the same.
        self.inner.call(operation, cx, arguments)
    }

    fn call_by_id<'a>(
        &'a self,
        id: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> RunningHandler<'a> {
        self.inner.call_by_id(id, cx, arguments)
    }

    fn setup(&self) -> Option<Setup> {
        let setup = self.inner.setup().unwrap_or_default();
        let upstreams = self.upstreams.clone();
        let setup = setup.facts(move || facts(&upstreams));
        let upstreams = self.upstreams.iter().cloned();
        Some(upstreams.fold(setup, |setup, upstream| setup.supervised(upstream)))
    }

    fn hooks(&self) -> &dyn Hooks {
        self.inner.hooks()
    }

    fn updates(&self) -> Updates {
        self.inner.updates()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            join_all(self.upstreams.iter().map(|upstream| upstream.stop())).await;
            self.inner.close().await;
        })
    }
}

/// What `introspect` says about the upstreams.
fn facts(upstreams: &[Arc<UpstreamProvider>]) -> Map<String, Value> {
    let servers = upstreams.len();
    let ready = upstreams.iter().filter(|upstream| upstream.is_ready()).count();
    let tools: usize = upstreams.iter().map(|upstream| upstream.offered().0.len()).sum();
    let summary = format!("{ready}/{servers} servers, {tools} tools");
    let facts = json!({"summary": summary, "servers": servers, "ready": ready, "tools": tools});
    Map::from_iter([("upstreams".to_owned(), facts)])
}
