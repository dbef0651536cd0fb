//! What operations are bound to, as a provider.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(feature = "upstreams")]
use serde_json::Map;
use serde_json::Value;
use tokio::sync::Notify;
#[cfg(feature = "commands")]
use toolwrit_bindings::CommandRunner;
#[cfg(feature = "upstreams")]
use toolwrit_bindings::model::Tool;
use toolwrit_bindings::model::{Commands, OperationTable, ProviderTable, Server};
use toolwrit_bindings::{Answer, Call, Connection, CursorKey, PageRequest};
use toolwrit_core::arguments::value::IntoJson as _;
#[cfg(feature = "upstreams")]
use toolwrit_core::authority::DynamicOperation;
use toolwrit_core::authority::Tables;
use toolwrit_core::availability::{Probe, Reason, Unavailable};
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

use crate::bound::fault::{fault, unavailable};
use crate::bound::introduced::Introduced;
use crate::bound::settings::{ProviderProblem, ProviderSettings};
#[cfg(feature = "upstreams")]
use crate::bound::upstream::{BoundServer, Passes};
use crate::bound::warning::Warning;

/// The time that a probe has.
const PROBE_TIME: Duration = Duration::from_secs(8);
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

/// How a provider is reached.
enum Reached {
    Http(Box<Connection>),
    #[cfg(feature = "commands")]
    Command(Box<CommandRunner>),
    #[cfg(feature = "upstreams")]
    Mcp(Box<BoundServer>),
}

impl Reached {
    /// # Errors
    /// Why the call failed, `INTERNAL` for an operation of another kind.
    async fn call(
        &self,
        operation: &OperationTable,
        call: &BoundCall<'_>,
    ) -> std::result::Result<Answer, Fault> {
        let request = request(operation, call);
        let answer = match (self, operation) {
            (Self::Http(connection), OperationTable::Http(operation)) => {
                connection.call(operation, &request).await
            }
            #[cfg(feature = "commands")]
            (Self::Command(runner), OperationTable::Command(command)) => {
                runner.call(command, &request).await
            }
            #[cfg(feature = "upstreams")]
            (Self::Mcp(server), OperationTable::Mcp(tool)) => {
                let value = server.call(tool, call).await?;
                return Ok(Answer { value, next: None, total: None });
            }
            _ => return Err(Fault::internal("the provider is of another kind than its operation")),
        };
        answer.map_err(|failure| fault(*failure))
    }

    fn location(&self, account: Option<&str>) -> String {
        match self {
            Self::Http(connection) => connection.location(account),
            #[cfg(feature = "commands")]
            Self::Command(runner) => runner.location(account),
            #[cfg(feature = "upstreams")]
            Self::Mcp(server) => server.location(account),
        }
    }

    /// # Errors
    /// Why it cannot be found out.
    #[cfg_attr(
        not(feature = "commands"),
        expect(unused_variables, reason = "the probe of an API is in its table")
    )]
    async fn probe(
        &self,
        operations: impl Iterator<Item = &OperationTable>,
        introduced: &Introduced,
    ) -> Result<Probe> {
        let (probed, is_per_account) = match self {
            Self::Http(connection) => (
                connection.probe(None, Instant::now() + PROBE_TIME).await,
                connection.is_per_account(),
            ),
            #[cfg(feature = "commands")]
            Self::Command(runner) => {
                let programs = operations.filter_map(|operation| match operation {
                    OperationTable::Command(command) => Some(&*command.program),
                    _ => None,
                });
                (runner.probe(programs, None).await, runner.is_per_account())
            }
            #[cfg(feature = "upstreams")]
            Self::Mcp(server) => return Ok(server.probe(PROBE_TIME).await),
        };
        match probed {
            Ok(()) => {
                introduced.accept(None);
                Ok(Probe::Available { version: None })
            }
            Err(failure) if failure.code != Code::ProviderUnavailable => Err(fault(*failure)),
            // Accounts may have their own credentials, and each call uses those of its account.
            Err(_) if is_per_account => Ok(Probe::Available { version: None }),
            Err(failure) => Ok(Probe::Unavailable(unavailable(&failure))),
        }
    }
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

/// A call as the tables of bindings see it.
fn request<'a>(operation: &OperationTable, call: &'a BoundCall<'_>) -> Call<'a> {
    let page = call.page.as_ref().filter(|_| has_pages(operation));
    Call {
        arguments: &call.arguments,
        numbers: call.numbers,
        account: call.account,
        page: page.map(|page| PageRequest { limit: page.limit, cursor: page.cursor.as_deref() }),
        dry_run: call.dry_run,
        deadline: call.deadline,
        cancellation: call.cancellation.clone(),
    }
}

fn has_pages(operation: &OperationTable) -> bool {
    matches!(operation, OperationTable::Http(operation) if operation.page.is_some())
}

/// Reads the table and the settings of a provider.
fn reach(
    table: &str,
    (settings, cursor_key): (&ProviderSettings, &CursorKey),
    tables: &Tables,
    doubted: &Arc<Notify>,
) -> std::result::Result<Reached, Unavailable> {
    let table = serde_json::from_str(table).map_err(|error| {
        Unavailable::new(
            Reason::Failed,
            format!("Its table cannot be read: {error}."),
            "Rebuild the server.",
        )
    })?;
    match table {
        ProviderTable::Http(api) => {
            let (values, options) =
                settings.of_api(&api, cursor_key).map_err(|problems| needs_settings(&problems))?;
            let connection = Connection::new(Cow::Owned(*api), values, &options);
            connection
                .map(|connection| Reached::Http(Box::new(connection)))
                .map_err(|failure| unavailable(&failure))
        }
        ProviderTable::Command(commands) => reach_commands(commands, settings),
        ProviderTable::Mcp(server) => reach_server(server, settings, tables, doubted),
    }
}

#[cfg(feature = "commands")]
fn reach_commands(
    commands: Commands,
    settings: &ProviderSettings,
) -> std::result::Result<Reached, Unavailable> {
    let values = settings.of_commands(&commands).map_err(|problems| needs_settings(&problems))?;
    Ok(Reached::Command(Box::new(CommandRunner::new(Cow::Owned(commands), values))))
}

#[cfg(not(feature = "commands"))]
fn reach_commands(
    _commands: Commands,
    _settings: &ProviderSettings,
) -> std::result::Result<Reached, Unavailable> {
    Err(Unavailable::new(
        Reason::NeedsConfiguration,
        "Its operations are commands, and this server is built without commands.",
        "Build the server with the feature `commands` of the crate toolwrit.",
    ))
}

#[cfg(feature = "upstreams")]
fn reach_server(
    server: Server,
    settings: &ProviderSettings,
    tables: &Tables,
    doubted: &Arc<Notify>,
) -> std::result::Result<Reached, Unavailable> {
    let (values, networks, questions) =
        settings.of_server(&server).map_err(|problems| needs_settings(&problems))?;
    let mut sources = tables.sources.iter();
    let source = sources.find(|source| source.path == server.lock);
    let lock = toolwrit_upstreams::Lock::parse(source.map_or("", |source| &source.text));
    let lock = lock.map_err(|why| {
        let message = format!("Its lock file `{}` cannot be used: {why}.", server.lock);
        Unavailable::new(Reason::Failed, message, "The author writes it again with `import mcp`.")
    })?;
    let category = Passes::category(tables, &server.name);
    let passes = Passes { networks, questions, category };
    let tools = toolwrit_bindings::BoundTools::new(server, values);
    Ok(Reached::Mcp(Box::new(BoundServer::new(tools, lock, passes, doubted.clone()))))
}

#[cfg(not(feature = "upstreams"))]
fn reach_server(
    _server: Server,
    _settings: &ProviderSettings,
    _tables: &Tables,
    _doubted: &Arc<Notify>,
) -> std::result::Result<Reached, Unavailable> {
    Err(Unavailable::new(
        Reason::NeedsConfiguration,
        "It is another MCP server, and this server is built without upstreams.",
        "Build the server with the feature `upstreams` of the crate toolwrit.",
    ))
}

fn needs_settings(problems: &[ProviderProblem]) -> Unavailable {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Unavailable::new(Reason::NeedsConfiguration, "Its settings cannot be used.", problems.join(" "))
}
