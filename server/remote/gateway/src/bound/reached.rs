//! How a provider is reached: an HTTP API, commands of this machine, or another MCP server.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
#[cfg(feature = "commands")]
use toolwrit_bindings::CommandRunner;
use toolwrit_bindings::model::{Commands, OperationTable, ProviderTable, Server};
use toolwrit_bindings::{Answer, Call, Connection, CursorKey, PageRequest};
use toolwrit_core::authority::Tables;
use toolwrit_core::availability::{Probe, Reason, Unavailable};
use toolwrit_core::call::bound_call::BoundCall;
use toolwrit_core::fault::{Code, Fault, Result};

use crate::bound::fault::{fault, unavailable};
use crate::bound::introduced::Introduced;
use crate::bound::over_replicas::OverReplicas;
use crate::bound::settings::{ProviderProblem, ProviderSettings};
#[cfg(feature = "upstreams")]
use crate::bound::upstream::{BoundServer, Passes};

/// The time that a probe has.
pub(super) const PROBE_TIME: Duration = Duration::from_secs(8);

/// How a provider is reached.
pub(super) enum Reached {
    Http(Box<Connection>),
    #[cfg(feature = "commands")]
    Command(Box<CommandRunner>),
    #[cfg(feature = "upstreams")]
    Mcp(Box<BoundServer>),
}

impl Reached {
    /// Carries out an operation.
    ///
    /// # Errors
    /// Why the call failed, `INTERNAL` for an operation of another kind.
    pub(super) async fn call(
        &self,
        operation: &OperationTable,
        call: &BoundCall<'_>,
    ) -> std::result::Result<Answer, Fault> {
        let keys = cursor_keys(call);
        let request = request(operation, call, &keys);
        let answer = match (self, operation) {
            (Self::Http(connection), OperationTable::Http(operation)) => {
                if let Some(replicas) = call.replicas {
                    connection.shared_by(|| OverReplicas(replicas.clone()));
                }
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

    /// Identifies what operations change for an account.
    pub(super) fn location(&self, account: Option<&str>) -> String {
        match self {
            Self::Http(connection) => connection.location(account),
            #[cfg(feature = "commands")]
            Self::Command(runner) => runner.location(account),
            #[cfg(feature = "upstreams")]
            Self::Mcp(server) => server.location(account),
        }
    }

    /// Finds out whether the provider can be used.
    ///
    /// # Errors
    /// Why it cannot be found out.
    #[cfg_attr(
        not(feature = "commands"),
        expect(unused_variables, reason = "the probe of an API is in its table")
    )]
    pub(super) async fn probe(
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

/// A call as the tables of bindings see it.
fn request<'a>(
    operation: &OperationTable,
    call: &'a BoundCall<'_>,
    keys: &'a [CursorKey],
) -> Call<'a> {
    let page = call.page.as_ref().filter(|_| has_pages(operation));
    let page = page.map(|page| (page.limit, page.cursor.as_deref()));
    Call {
        arguments: &call.arguments,
        numbers: call.numbers,
        account: call.account,
        page: page.map(|(limit, cursor)| PageRequest { limit, cursor, keys }),
        dry_run: call.dry_run,
        deadline: call.deadline,
        cancellation: call.cancellation.clone(),
    }
}

/// The keys with which replicas seal cursors, the one that seals first; none without replicas.
fn cursor_keys(call: &BoundCall<'_>) -> Vec<CursorKey> {
    let keys = call.page.as_ref().and_then(|page| page.keys.as_ref());
    let keys = keys.into_iter().flat_map(|keys| [&keys.sealing].into_iter().chain(&keys.opening));
    keys.map(|key| CursorKey::from_bytes(key.secret)).collect()
}

/// Whether an operation has pages.
pub(super) fn has_pages(operation: &OperationTable) -> bool {
    matches!(operation, OperationTable::Http(operation) if operation.page.is_some())
}

/// Reads the table and the settings of a provider.
///
/// # Errors
/// Why it is not available.
pub(super) fn reach(
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
