//! Calls of bound operations, through connections to servers on this machine that answer whatever a test wants, and
//! calls of commands.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod accounts;
mod blog;
mod bodies;
#[cfg(unix)]
mod commands;
mod credentials;
mod failures;
mod hostile;
mod keyring;
mod limits;
mod masking;
mod once;
mod open;
mod pages;
mod probes;
mod results;
mod settings;
mod steps;
mod tables;
mod templates;
mod tickets;
mod tools;
mod unreachable;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_bindings::model::{Api, Operation};
use toolwrit_bindings::{
    Answer, Call, Connection, ConnectionOptions, Environment, PageRequest, Result, RetryOptions,
    Settings, WrittenNumbers,
};

/// A connection that may reach the servers of the tests, and nothing else on this machine.
fn connect(api: &'static Api, settings: &Value) -> Connection {
    connect_with(api, settings, &options())
}

fn connect_with(api: &'static Api, settings: &Value, options: &ConnectionOptions) -> Connection {
    connect_to(Cow::Borrowed(api), settings, options)
}

fn connect_to(api: Cow<'static, Api>, settings: &Value, options: &ConnectionOptions) -> Connection {
    let settings = Settings::parse(&api.name, &api.settings, object(settings), secrets()).unwrap();
    Connection::new(api, settings, options).unwrap()
}

fn options() -> ConnectionOptions {
    ConnectionOptions {
        networks: vec!["127.0.0.1".parse().unwrap()],
        retry: RetryOptions { times: 2, first_pause: Duration::from_millis(1) },
        ..ConnectionOptions::default()
    }
}

/// The environment in which settings are found.
fn secrets() -> Environment {
    let variables = [
        ("SECRET", "s3cret-of-all"),
        ("SECRET_OF_ANNA", "s3cret-of-anna"),
        ("SECRET_OF_BEN", "s3cret-of-ben"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Environment::from_variables(BTreeMap::from(variables))
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// A call that is described by changes of [`Calling::new`].
struct Calling {
    arguments: Value,
    numbers: WrittenNumbers,
    account: Option<&'static str>,
    limit: Option<u32>,
    cursor: Option<String>,
    dry_run: bool,
    patience: Duration,
    cancellation: CancellationToken,
}

impl Calling {
    fn new(arguments: Value) -> Self {
        Self {
            arguments,
            numbers: WrittenNumbers::default(),
            account: None,
            limit: None,
            cursor: None,
            dry_run: false,
            patience: Duration::from_mins(1),
            cancellation: CancellationToken::new(),
        }
    }

    async fn run(&self, connection: &Connection, operation: &Operation) -> Result<Answer> {
        let arguments = object(&self.arguments);
        let page = self.limit.map(|limit| PageRequest {
            limit,
            cursor: self.cursor.as_deref(),
            keys: &[],
        });
        let call = Call {
            arguments: &arguments,
            numbers: &self.numbers,
            account: self.account,
            page,
            dry_run: self.dry_run,
            deadline: Instant::now() + self.patience,
            cancellation: self.cancellation.clone(),
        };
        connection.call(operation, &call).await
    }
}

async fn call(connection: &Connection, operation: &Operation, arguments: Value) -> Result<Answer> {
    Calling::new(arguments).run(connection, operation).await
}

/// The result of a call without arguments.
async fn value(connection: &Connection, operation: &Operation) -> Result<Value> {
    call(connection, operation, json!({})).await.map(|answer| answer.value)
}
