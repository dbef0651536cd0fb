//! Contexts for tests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::authority::{Authority, FocusMode, Operation, Role, Tables};
use crate::call::caller_info::CallerInfo;
use crate::call::context::Context;
use crate::call::held::Held;
use crate::call::reports::Reports;
use crate::caller::origin::Origin;
use crate::caller::principal::{Attributes, Principal};
use crate::caller::sender::{ClientInfo, RequestId};
use crate::dialogue::Dialogue;
use crate::dialogue::confirmed::Confirmed;
use crate::policy::{Choice, Policy};
use crate::provider::Supervisors;
use crate::updates::Updates;
use toolwrit_text::numbers::WrittenNumbers;

/// How long a handler under test may run.
const TIME: Duration = Duration::from_mins(1);
const RESULT_BYTES: u64 = 1024 * 1024;

/// Builds the [`Context`] of a test.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct TestContext {
    operation: Option<String>,
    focus: Option<String>,
    role: Option<String>,
    /// Without its attributes.
    origin: Origin,
    attributes: Attributes,
    cancellation: CancellationToken,
    updates: Updates,
}

impl Context {
    /// Begins a context for tests that call a handler directly, without the pipeline.
    pub fn test() -> TestContext {
        TestContext::default()
    }
}

impl TestContext {
    /// Sets the id of the operation; `test.test` by default.
    pub fn operation(mut self, id: impl Into<String>) -> Self {
        self.operation = Some(id.into());
        self
    }

    /// Sets the focus mode in force; `all` by default.
    pub fn focus(mut self, name: impl Into<String>) -> Self {
        self.focus = Some(name.into());
        self
    }

    /// Sets the role of the caller; `owner` by default.
    pub fn role(mut self, name: impl Into<String>) -> Self {
        self.role = Some(name.into());
        self
    }

    /// Sets the caller's account; `local` by default.
    pub fn principal(mut self, name: &str) -> Self {
        self.origin.principal = Principal::new(name);
        self
    }

    /// Adds a scope of the caller's access token.
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.attributes.scopes.push(scope.into());
        self
    }

    /// Adds a claim of the caller's access token.
    pub fn claim(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.attributes.claims.insert(name.into(), value.into());
        self
    }

    /// Sets the client program.
    pub fn client(mut self, name: &str, version: &str) -> Self {
        self.origin.client = Some(ClientInfo::new(name, version));
        self
    }

    /// Sets the JSON-RPC id of the request.
    pub fn request_id(mut self, id: RequestId) -> Self {
        self.origin.request_id = Some(id);
        self
    }

    /// Marks the call as cancelled.
    pub fn cancelled(self) -> Self {
        self.cancellation.cancel();
        self
    }

    /// Sets the receiver of the handler's notifications of changed resources.
    pub fn updates(mut self, updates: Updates) -> Self {
        self.updates = updates;
        self
    }

    /// Returns the context. Progress and log messages are discarded, and questions cannot be answered.
    pub fn build(self) -> Context {
        let or = |name: Option<String>, default: &str| name.unwrap_or_else(|| default.to_owned());
        let operation = Operation {
            id: or(self.operation, "test.test"),
            result_bytes: RESULT_BYTES,
            ..Operation::default()
        };
        let role = Role {
            name: or(self.role, "owner"),
            summary: None,
            persona: None,
            operations: vec![1],
            joining: Vec::new(),
            added: 7,
        };
        let focus =
            FocusMode { name: or(self.focus, "all"), summary: None, joining: Vec::new(), added: 7 };
        let authority = Authority::new(Tables {
            timeout: TIME,
            operations: Arc::new([Arc::new(operation)]),
            focus: Arc::new([focus]),
            roles: Arc::new([role]),
            policy: Arc::new([vec![vec![1]]]),
            ..Tables::empty()
        });
        let Ok(policy) = Policy::new(authority.clone(), &Choice::default()) else {
            unreachable!("a choice without names fits every authority")
        };
        let attributes =
            (self.attributes != Attributes::default()).then(|| Arc::new(self.attributes));
        Context {
            instance: 0,
            operation: authority.operation(0),
            caller: Arc::new(CallerInfo {
                policy: Arc::new(policy),
                surface: None,
                origin: Origin { attributes, ..self.origin },
                numbers: WrittenNumbers::default(),
            }),
            session: None,
            cancellation: self.cancellation,
            deadline: Instant::now() + TIME,
            dialogue: Dialogue::default(),
            confirmed: Confirmed::default(),
            reports: Reports::default(),
            updates: self.updates,
            bound_calls: Arc::new(Supervisors::default()),
            replicas: None,
            runner: None,
            held: Held::default(),
        }
    }
}
