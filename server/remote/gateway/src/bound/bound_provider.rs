//! What operations are bound to, as a provider.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "upstreams")]
use serde_json::Map;
use serde_json::Value;
use tokio::sync::Notify;
use toolwrit_bindings::CursorKey;
use toolwrit_bindings::model::OperationTable;
#[cfg(feature = "upstreams")]
use toolwrit_bindings::model::Tool;
use toolwrit_core::arguments::value::IntoJson as _;
#[cfg(feature = "upstreams")]
use toolwrit_core::authority::DynamicOperation;
use toolwrit_core::authority::Tables;
use toolwrit_core::availability::{Probe, Unavailable};
#[cfg(feature = "upstreams")]
use toolwrit_core::availability::{UpstreamFigures, Withheld};
use toolwrit_core::call::bound_call::BoundCall;
#[cfg(feature = "upstreams")]
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::provider::{BoxFuture, Offers, Provider, Supervised};
use toolwrit_core::result::page::Page;
#[cfg(feature = "upstreams")]
use toolwrit_core::updates::Updates;

use crate::bound::introduced::Introduced;
use crate::bound::reached::{PROBE_TIME, Reached, has_pages, reach};
use crate::bound::settings::ProviderSettings;
use crate::bound::warning::Warning;

/// How often the settings are probed without another reason. An API may revoke credentials at any time.
const PROBE_INTERVAL: Duration = Duration::from_mins(5);

/// A provider, and the operations that are bound to it.
pub(crate) struct BoundProvider {
    name: String,
    reached: std::result::Result<Reached, Unavailable>,
    operations: HashMap<String, OperationTable>,
    introduced: Introduced,
    /// Notified when a call has found that the provider may not be available any more.
    doubted: Arc<Notify>,
    warning: Warning,
}

impl BoundProvider {
    /// Reads the tables of a provider and its operations.
    pub(crate) fn new<'t>(
        name: &str,
        table: &str,
        operations: impl Iterator<Item = &'t str>,
        (settings, cursor_key): (&ProviderSettings, &CursorKey),
        tables: &Tables,
    ) -> Self {
        let doubted = Arc::default();
        let mut read = HashMap::new();
        for table in operations {
            match serde_json::from_str::<OperationTable>(table) {
                Ok(operation) => {
                    read.insert(id(&operation).to_owned(), operation);
                }
                // The manifest crate writes the tables.
                Err(error) => tracing::error!(provider = name, %error, "a binding cannot be read"),
            }
        }
        Self {
            name: name.to_owned(),
            reached: reach(table, (settings, cursor_key), tables, &doubted),
            operations: read,
            introduced: Introduced::default(),
            doubted,
            warning: Warning::default(),
        }
    }

    async fn carry_out(&self, call: BoundCall<'_>) -> Result<Value> {
        let Some(operation) = self.operations.get(call.operation) else {
            let (id, name) = (call.operation, &self.name);
            return Err(Fault::internal(format!("`{id}` is not bound to `{name}`")));
        };
        let reached = self.reached.as_ref().map_err(|why| {
            Fault::new(Code::ProviderUnavailable, why.message.clone()).hinting(why.remedy.clone())
        })?;
        if let (Reached::Http(connection), false) = (reached, call.dry_run) {
            let deadline = call.deadline.min(Instant::now() + PROBE_TIME);
            let introduced = &self.introduced;
            introduced.introduce(connection, call.account, PROBE_INTERVAL, deadline).await?;
        }
        let has_page = call.page.is_some() && has_pages(operation);
        match reached.call(operation, &call).await {
            Ok(answer) if has_page && !call.dry_run => {
                let page = Page { items: answer.value, next: answer.next, total: answer.total };
                Ok(page.into_json())
            }
            Ok(answer) => Ok(answer.value),
            Err(fault) => {
                if fault.code() == Code::ProviderUnavailable {
                    self.introduced.forget(call.account);
                    if call.account.is_none() {
                        self.doubted.notify_one();
                    }
                }
                Err(fault)
            }
        }
    }

    /// The operations that are tools of another server.
    #[cfg(feature = "upstreams")]
    fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.operations.values().filter_map(|operation| match operation {
            OperationTable::Mcp(tool) => Some(tool),
            _ => None,
        })
    }

    async fn examine(&self) -> Result<Probe> {
        let probe = match &self.reached {
            Ok(reached) => reached.probe(self.operations.values(), &self.introduced).await?,
            Err(why) => Probe::Unavailable(why.clone()),
        };
        self.warning.warn_once(&self.name, &probe);
        Ok(probe)
    }
}

impl Provider for BoundProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(self.examine())
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            tokio::select! {
                () = self.doubted.notified() => {}
                () = tokio::time::sleep(PROBE_INTERVAL) => {}
            }
        })
    }
}

impl Offers for BoundProvider {
    #[cfg(feature = "upstreams")]
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        let operations = match &self.reached {
            Ok(Reached::Mcp(server)) => server.operations(),
            _ => Vec::new(),
        };
        Box::pin(std::future::ready(Ok(operations)))
    }

    #[cfg(feature = "upstreams")]
    fn call<'a>(
        &'a self,
        operation: &'a str,
        cx: &'a Context,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            match &self.reached {
                Ok(Reached::Mcp(server)) => server.call_offer(operation, cx, &arguments).await,
                _ => Err(Fault::internal(format!("`{operation}` is not offered"))),
            }
        })
    }

    #[cfg(feature = "upstreams")]
    fn problems(&self) -> BoxFuture<'_, Result<Vec<String>>> {
        let problems = match &self.reached {
            Ok(Reached::Mcp(server)) => server.problems(self.tools()),
            _ => Vec::new(),
        };
        Box::pin(std::future::ready(Ok(problems)))
    }
}

impl Supervised for BoundProvider {
    fn answers_probes(&self) -> bool {
        match &self.reached {
            Ok(Reached::Http(connection)) => connection.has_probe(),
            _ => true,
        }
    }

    #[cfg(feature = "upstreams")]
    fn announce<'a>(&'a self, updates: &'a Updates) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Ok(Reached::Mcp(server)) = &self.reached {
                server.announce(updates).await;
            }
        })
    }

    #[cfg(feature = "upstreams")]
    fn withheld(&self) -> Withheld {
        match &self.reached {
            Ok(Reached::Mcp(server)) => server.withheld(self.tools()),
            _ => Withheld::new(),
        }
    }

    #[cfg(feature = "upstreams")]
    fn figures(&self) -> Option<UpstreamFigures> {
        match &self.reached {
            Ok(Reached::Mcp(server)) => Some(server.figures()),
            _ => None,
        }
    }

    fn location(&self, account: Option<&str>) -> String {
        // No operation runs that cannot be reached.
        self.reached.as_ref().map_or_else(|_| String::new(), |reached| reached.location(account))
    }

    fn call_bound<'a>(&'a self, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(self.carry_out(call))
    }
}

fn id(operation: &OperationTable) -> &str {
    match operation {
        OperationTable::Http(operation) => &operation.id,
        OperationTable::Command(command) => &command.id,
        OperationTable::Mcp(tool) => &tool.id,
    }
}
