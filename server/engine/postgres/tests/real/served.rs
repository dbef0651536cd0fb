//! A server without a transport, whose handlers do what a test says.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::audit::storage::State;
use toolwrit_core::authority::{
    Authority, Category, Effect, FocusMode, LiveAuthority, Name, Operation, Role, Tables,
};
use toolwrit_core::call::audit_arguments::AuditArguments;
use toolwrit_core::call::caller_info::CallerInfo;
use toolwrit_core::call::context::Context;
use toolwrit_core::call::reports::Reports;
use toolwrit_core::call::{Call, Caller};
use toolwrit_core::caller::origin::Origin;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::dialogue::{Dialogue, Interrupt};
use toolwrit_core::fault::{Fault, Result};
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::provider::Supervisors;
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::Toolset;
use toolwrit_core::updates::Updates;
use toolwrit_text::numbers::WrittenNumbers;

/// What a handler does: it gets the position of its operation in [`OPERATIONS`].
pub(crate) type Handler =
    Arc<dyn Fn(usize) -> futures::future::BoxFuture<'static, Result<Value>> + Send + Sync>;

/// Adds something each time that it runs.
pub(crate) const APPEND: &str = "own.append";
/// Has the same effect, however often it runs.
pub(crate) const PUT: &str = "own.put";
/// Changes nothing.
pub(crate) const READ: &str = "own.read";
/// Runs once at a time.
pub(crate) const SOLE: &str = "own.sole";
const OPERATIONS: [(&str, Effect, bool); 4] = [
    (APPEND, Effect::Write, false),
    (PUT, Effect::Write, true),
    (READ, Effect::Read, true),
    (SOLE, Effect::Read, true),
];

fn tables() -> Tables {
    let operation = |(id, effect, idempotent): (&str, Effect, bool)| {
        let operation = Operation {
            id: id.to_owned(),
            name: id.trim_start_matches("own.").to_owned(),
            wire_name: id.replace('.', "_"),
            effect,
            idempotent,
            concurrency: (id == SOLE).then_some(1),
            result_bytes: 4096,
            ..Operation::default()
        };
        operation.into()
    };
    let named = |(at, (id, ..)): (usize, &(&str, Effect, bool))| Name {
        name: (*id).to_owned(),
        operation: u16::try_from(at).unwrap(),
        alias: None,
    };
    Tables {
        categories: Arc::new([Category {
            name: "own".to_owned(),
            title: "Own".to_owned(),
            summary: String::new(),
            keywords: Vec::new(),
            wire_name: "own".to_owned(),
            direct: false,
            instance: None,
        }]),
        operations: OPERATIONS.map(operation).into(),
        names: OPERATIONS.iter().enumerate().map(named).collect(),
        focus: Arc::new([FocusMode {
            name: "full".to_owned(),
            summary: None,
            joining: Vec::new(),
            added: 15,
        }]),
        roles: Arc::new([Role {
            name: "owner".to_owned(),
            summary: None,
            persona: None,
            operations: vec![0b1111],
            joining: Vec::new(),
            added: 15,
        }]),
        policy: Arc::new([vec![vec![0b1111]]]),
        ..Tables::empty()
    }
}

struct Own(Handler);

impl Toolset for Own {
    fn authority(&self) -> Authority {
        static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::new(tables()));
        AUTHORITY.clone()
    }

    fn call<'a>(&'a self, operation: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        RunningHandler::new(Box::new((self.0)(operation)))
    }
}

/// A server. Clones share it.
#[derive(Clone)]
pub(crate) struct Served {
    live: LiveAuthority,
    pipeline: Arc<Pipeline>,
}

impl Served {
    pub(crate) fn new(state: State, handler: Handler) -> Self {
        let own = Own(handler);
        let (live, updates) = (LiveAuthority::new(own.authority()), Updates::default());
        let supervisors = Arc::new(Supervisors::start(Vec::new(), &live, &updates));
        let settings = CallSettings {
            concurrency: Some(64),
            per_principal: Some(64),
            ..CallSettings::default()
        };
        let recorder = Recorder::new(state);
        let pipeline =
            Pipeline::new(Arc::new(own), Arc::default(), supervisors, &settings, recorder, updates);
        Self { live, pipeline: Arc::new(pipeline) }
    }

    /// Calls an operation for a principal, with a key if there is one.
    pub(crate) async fn call(
        &self,
        principal: &str,
        operation: &str,
        key: Option<&str>,
    ) -> Result<Value> {
        let policy = Policy::new(self.live.now(), &Choice::default()).unwrap();
        let origin = Origin { principal: Principal::new(principal), ..Origin::default() };
        let caller = Caller {
            info: Arc::new(CallerInfo {
                policy: Arc::new(policy),
                surface: None,
                origin,
                numbers: WrittenNumbers::default(),
            }),
            session: None,
            idempotency_key: key.map(Value::from),
            audit_arguments: AuditArguments::default(),
            dialogue: Dialogue::default(),
            cancellation: CancellationToken::new(),
            reports: Reports::default(),
            is_nested: false,
        };
        let call = Call {
            name: operation.to_owned(),
            arguments: serde_json::Map::new(),
            bytes: 2,
            caller: Box::new(caller),
        };
        self.pipeline.call(call).await.map(|outcome| outcome.value).map_err(Interrupt::into_fault)
    }

    /// Calls again while the server says that nothing was done, or that the call still runs.
    pub(crate) async fn insist(
        &self,
        principal: &str,
        operation: &str,
        key: &str,
    ) -> Result<Value> {
        loop {
            match self.call(principal, operation, Some(key)).await {
                Err(fault) if may_pass(&fault) => {
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
                ended => return ended,
            }
        }
    }
}

/// Whether the same call may be answered later.
pub(crate) fn may_pass(fault: &Fault) -> bool {
    let text = fault.message();
    text.contains("cannot store idempotency keys") || text.contains("is still running")
}

/// A handler that says `done`.
pub(crate) fn done() -> Handler {
    Arc::new(|_| Box::pin(async { Ok(json!("done")) }))
}
