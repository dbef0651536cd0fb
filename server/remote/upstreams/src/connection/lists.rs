//! The lists of a connection. They are read again when the upstream says that they have changed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ServerNotification, SubscriptionFilter};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use super::session::Session;
use crate::offers;
use crate::pages::ListError;
use crate::tools::ToolList;
use toolwrit_words::{OfferedPrompt, OfferedResource};

/// The pause between two lists, so that an upstream cannot make us list without end.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a list may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a connection waits for the lists without which it can be used. A later one is read when it comes.
const FIRST: Duration = Duration::from_secs(3);

/// What an upstream has listed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    pub(crate) tools: Arc<ToolList>,
    pub(crate) resources: Arc<[OfferedResource]>,
    pub(crate) prompts: Arc<[OfferedPrompt]>,
}

impl Session {
    async fn resources(&self) -> Result<Arc<[OfferedResource]>, ListError> {
        if !self.handler.resources {
            return Ok(Arc::default());
        }
        offers::resources(self.peer()).await.map(Arc::from)
    }

    async fn prompts(&self) -> Result<Arc<[OfferedPrompt]>, ListError> {
        if !self.handler.prompts {
            return Ok(Arc::default());
        }
        offers::prompts(self.peer()).await.map(Arc::from)
    }

    /// Reads all lists. Only that of the tools is needed.
    ///
    /// # Errors
    /// If the tools cannot be listed.
    pub(super) async fn first_lists(&self) -> Result<Listed, ListError> {
        let (tools, resources, prompts) = tokio::join!(
            self.tools(),
            timeout(FIRST, self.resources()),
            timeout(FIRST, self.prompts()),
        );
        let (resources, prompts) =
            (resources.ok().and_then(Result::ok), prompts.ok().and_then(Result::ok));
        if resources.is_none() {
            self.handler.resources_changed.notify_one();
        }
        if prompts.is_none() {
            self.handler.prompts_changed.notify_one();
        }
        Ok(Listed {
            tools: Arc::new(tools?),
            resources: resources.unwrap_or_default(),
            prompts: prompts.unwrap_or_default(),
        })
    }

    /// Reads lists again when the upstream says that they have changed.
    pub(super) async fn follow_lists(self: Arc<Self>, changed: watch::Sender<Listed>) {
        let set = |set: &dyn Fn(&mut Listed)| changed.send_modify(set);
        let handler = &self.handler;
        tokio::join!(
            self.subscribe(),
            self.follow_renewals(),
            follow(
                &handler.tools_changed,
                "tools",
                || self.tools(),
                |tools| {
                    let tools = Arc::new(tools);
                    set(&|listed| listed.tools.clone_from(&tools));
                }
            ),
            follow(
                &handler.resources_changed,
                "resources",
                || self.resources(),
                |resources| {
                    set(&|listed| listed.resources.clone_from(&resources));
                }
            ),
            follow(
                &handler.prompts_changed,
                "prompts",
                || self.prompts(),
                |prompts| {
                    set(&|listed| listed.prompts.clone_from(&prompts));
                }
            ),
        );
    }

    /// Reads all lists again in another session: the server may be another one.
    async fn follow_renewals(&self) {
        let mut renewals = self.renewals.receiver();
        while renewals.changed().await.is_ok() {
            self.handler.tools_changed.notify_one();
            self.handler.resources_changed.notify_one();
            self.handler.prompts_changed.notify_one();
        }
    }

    /// Without a handshake, news of changed lists come to subscribers only.
    async fn subscribe(&self) {
        if !self.is_stateless() {
            return;
        }
        let Some(info) = self.peer().peer_info() else { return };
        let (tools, resources, prompts) = (
            info.capabilities.tools.as_ref().and_then(|capability| capability.list_changed),
            info.capabilities.resources.as_ref().and_then(|capability| capability.list_changed),
            info.capabilities.prompts.as_ref().and_then(|capability| capability.list_changed),
        );
        let mut filter = SubscriptionFilter::default();
        filter.tools_list_changed = tools.filter(|is_announced| *is_announced);
        filter.resources_list_changed =
            resources.filter(|is_announced| *is_announced && self.handler.resources);
        filter.prompts_list_changed =
            prompts.filter(|is_announced| *is_announced && self.handler.prompts);
        if filter == SubscriptionFilter::default() {
            return;
        }
        let Ok(mut subscription) = self.peer().listen(filter).await else { return };
        while let Ok(Some(news)) = subscription.next().await {
            match news {
                ServerNotification::ToolListChangedNotification(_) => {
                    self.handler.tools_changed.notify_one();
                }
                ServerNotification::ResourceListChangedNotification(_) => {
                    self.handler.resources_changed.notify_one();
                }
                ServerNotification::PromptListChangedNotification(_) => {
                    self.handler.prompts_changed.notify_one();
                }
                _ => {}
            }
        }
    }
}

/// Reads a list at each news of it.
async fn follow<T, F>(news: &Notify, what: &str, list: impl Fn() -> F, set: impl Fn(T))
where
    F: Future<Output = Result<T, ListError>>,
{
    loop {
        news.notified().await;
        match timeout(PATIENCE, list()).await {
            Ok(Ok(listed)) => set(listed),
            Ok(Err(error)) => tracing::warn!(%error, what, "a changed list cannot be read"),
            Err(_) => tracing::warn!(what, "a changed list cannot be read in time"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}
