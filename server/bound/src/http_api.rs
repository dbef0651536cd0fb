//! An HTTP API as a provider.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Notify;
use toolwrit_bindings::model::{self, Api, Operation};
use toolwrit_bindings::{Call, Connection, CursorKey, Failure, PageRequest};
use toolwrit_core::arg_value::IntoJson as _;
use toolwrit_core::availability::{Probe, Reason, Unavailable};
use toolwrit_core::bound_call::BoundCall;
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::page::Page;
use toolwrit_core::provider::{BoxFuture, Provider};

use crate::fault::fault;
use crate::settings::ProviderSettings;

/// The time that a probe has.
const PROBE_TIME: Duration = Duration::from_secs(8);
/// How often the settings are probed without another reason. An API may revoke credentials at any time.
const PROBE_INTERVAL: Duration = Duration::from_mins(5);

/// An HTTP API, and the operations that are bound to it.
pub(crate) struct HttpApi {
    name: String,
    connection: std::result::Result<Connection, Unavailable>,
    operations: HashMap<String, Operation>,
    /// Notified when a call has found that the API may not be available any more.
    doubted: Notify,
}

impl HttpApi {
    /// Reads the tables of an API and its operations.
    pub(crate) fn new<'t>(
        name: &str,
        api: &str,
        operations: impl Iterator<Item = &'t str>,
        settings: &ProviderSettings,
        cursor_key: &CursorKey,
    ) -> Self {
        let mut read = HashMap::new();
        for table in operations {
            match serde_json::from_str::<Operation>(table) {
                Ok(operation) => {
                    read.insert(operation.id.to_string(), operation);
                }
                // The manifest crate writes the tables.
                Err(error) => tracing::error!(provider = name, %error, "a binding cannot be read"),
            }
        }
        Self {
            name: name.to_owned(),
            connection: connect(api, settings, cursor_key),
            operations: read,
            doubted: Notify::new(),
        }
    }

    async fn carry_out(&self, call: BoundCall<'_>) -> Result<Value> {
        let Some(operation) = self.operations.get(call.operation) else {
            let (id, name) = (call.operation, &self.name);
            return Err(Fault::internal(format!("`{id}` is not bound to `{name}`")));
        };
        let connection = self.connection.as_ref().map_err(|why| {
            Fault::new(Code::ProviderUnavailable, why.message.clone()).hinting(why.remedy.clone())
        })?;
        let page = call.page.as_ref().filter(|_| operation.page.is_some());
        let request = Call {
            arguments: &call.arguments,
            account: call.account,
            page: page
                .map(|page| PageRequest { limit: page.limit, cursor: page.cursor.as_deref() }),
            dry_run: call.dry_run,
            deadline: call.deadline,
            cancellation: call.cancellation,
        };
        match connection.call(operation, &request).await {
            Ok(answer) if page.is_some() && !call.dry_run => {
                let page = Page { items: answer.value, next: answer.next, total: answer.total };
                Ok(page.into_json())
            }
            Ok(answer) => Ok(answer.value),
            Err(failure) => {
                if failure.code == model::Code::ProviderUnavailable && call.account.is_none() {
                    self.doubted.notify_one();
                }
                Err(fault(*failure))
            }
        }
    }

    async fn examine(&self) -> Result<Probe> {
        let available = Probe::Available { version: None };
        let connection = match &self.connection {
            Ok(connection) => connection,
            Err(why) => return Ok(Probe::Unavailable(why.clone())),
        };
        match connection.probe(None, Instant::now() + PROBE_TIME).await {
            Ok(()) => Ok(available),
            Err(failure) if failure.code != model::Code::ProviderUnavailable => {
                Err(fault(*failure))
            }
            // Accounts may have their own credentials, and each call uses those of its account.
            Err(_) if connection.is_per_account() => Ok(available),
            Err(failure) => Ok(Probe::Unavailable(unavailable(&failure))),
        }
    }
}

impl Provider for HttpApi {
    fn name(&self) -> &str {
        &self.name
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(self.examine())
    }

    fn call_bound<'a>(&'a self, call: BoundCall<'a>) -> BoxFuture<'a, Result<Value>> {
        Box::pin(self.carry_out(call))
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

/// Makes the connection to an API.
fn connect(
    table: &str,
    settings: &ProviderSettings,
    cursor_key: &CursorKey,
) -> std::result::Result<Connection, Unavailable> {
    let api: Api = serde_json::from_str(table).map_err(|error| {
        Unavailable::new(
            Reason::Failed,
            format!("Its table cannot be read: {error}."),
            "Rebuild the server.",
        )
    })?;
    let (own, options) = settings.of(&api, cursor_key).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Unavailable::new(
            Reason::NeedsConfiguration,
            "Its settings cannot be used.",
            problems.join(" "),
        )
    })?;
    Connection::new(Cow::Owned(api), own, &options).map_err(|failure| unavailable(&failure))
}

fn unavailable(failure: &Failure) -> Unavailable {
    let remedy =
        failure.hint.clone().unwrap_or_else(|| "The operator checks its settings.".to_owned());
    Unavailable::new(Reason::NeedsConfiguration, failure.message.clone(), remedy)
}
