//! Providers: calls that wait for them or run in them, and the end of a server that examines them.

use std::future::{pending, ready};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use futures::future::join;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot::{Receiver, Sender, channel};
use toolwrit_core::arguments::value::ArgValues;
use toolwrit_core::audit::claim::{Claim, Claimed, ClaimedAnswer};
use toolwrit_core::audit::counters::Backlog;
use toolwrit_core::audit::listing_costs::AccountCosts;
use toolwrit_core::audit::record::Record;
use toolwrit_core::audit::recorder::Recorder;
use toolwrit_core::audit::row::{AuditFilter, AuditRow};
use toolwrit_core::audit::storage::{State, Storage, StorageFailed, Stored};
use toolwrit_core::authority::{
    Authority, DynamicOperation, Effect, Joining, LiveAuthority, Operation, Tables,
};
use toolwrit_core::availability::{Probe, Providers};
use toolwrit_core::call::Caller;
use toolwrit_core::call::context::Context;
use toolwrit_core::fault::{Code, Result};
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::policy::{Choice, Policy};
use toolwrit_core::provider::{
    BoxFuture, Offering, Offers, Probed, Provider, Supervised, Supervisors,
};
use toolwrit_core::result::running::RunningHandler;
use toolwrit_core::toolset::Toolset;
use toolwrit_core::updates::Updates;

use crate::caller::{call, caller};
use crate::rows::{category, focus, name, operation, provider, role};

fn tables() -> Tables {
    let ask = Operation {
        effect: Effect::Write,
        result_bytes: 1024,
        requires: Some(0),
        ..operation("own.ask", "own_ask")
    };
    Tables {
        categories: Arc::new([category("new", "New", "")]),
        operations: Arc::new([ask.into()]),
        joining: Arc::new([Joining {
            category: 0,
            provider: 1,
            most: Effect::Write,
            whole: false,
        }]),
        names: Arc::new([name("own.ask", 0), name("own_ask", 0)]),
        focus: Arc::new([focus(&[7], 7)]),
        roles: Arc::new([role("owner", 1, &[7], 7)]),
        policy: Arc::new([vec![vec![1]]]),
        providers: Arc::new([provider("silent"), provider("speaking")]),
        ..Tables::empty()
    }
}

/// The handler of an operation that requires a provider.
struct Own;

impl Toolset for Own {
    fn authority(&self) -> Authority {
        static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::new(tables()));
        AUTHORITY.clone()
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        RunningHandler::new(Box::new(ready(Ok(json!("done")))))
    }
}

/// A pipeline, and the providers of its operations.
struct Served {
    live: LiveAuthority,
    updates: Updates,
    supervisors: Arc<Supervisors>,
    pipeline: Pipeline,
}

impl Served {
    fn by(providers: Vec<Arc<dyn Supervised>>) -> Self {
        Self::keeping(State::none(), providers)
    }

    fn keeping(state: State, providers: Vec<Arc<dyn Supervised>>) -> Self {
        let (live, updates) = (LiveAuthority::new(Own.authority()), Updates::default());
        let supervisors = Arc::new(Supervisors::start(providers, &live, &updates));
        let (settings, recorder) = (CallSettings::default(), Recorder::new(state));
        let pipeline = Pipeline::new(
            Arc::new(Own),
            Arc::default(),
            supervisors.clone(),
            &settings,
            recorder,
            updates.clone(),
        );
        Self { live, updates, supervisors, pipeline }
    }

    /// Lets no providers take the place of those that it has.
    fn lose(&self) {
        let next = (&self.live, &self.updates);
        let next = self.supervisors.start_next(Vec::new(), &self.live.now(), next);
        self.supervisors.replace(next);
    }

    fn caller(&self) -> Caller {
        let now = self.live.now();
        let providers = Providers::new(now.tables(), self.supervisors.states());
        let policy = Policy::new(now.clone(), &Choice::default()).unwrap();
        caller(policy.with_providers(Arc::new(providers)))
    }
}

/// A provider that never answers a probe.
struct Silent {
    begun: Mutex<Option<Sender<()>>>,
    has_ended: Arc<AtomicBool>,
}

/// Notes that a probe has ended.
struct Ending(Arc<AtomicBool>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Provider for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async {
            let _ending = Ending(self.has_ended.clone());
            self.begun.lock().unwrap().take().unwrap().send(()).unwrap();
            pending().await
        })
    }
}

impl Silent {
    /// Returns one, what tells that a probe has begun, and whether a probe has ended.
    fn new() -> (Arc<Self>, Receiver<()>, Arc<AtomicBool>) {
        let (begun, has_begun) = channel();
        let has_ended = Arc::new(AtomicBool::new(false));
        let silent = Self { begun: Mutex::new(Some(begun)), has_ended: has_ended.clone() };
        (Arc::new(silent), has_begun, has_ended)
    }
}

/// A provider that adds an operation, which says this.
struct Speaking(Value);

impl Provider for Speaking {
    fn name(&self) -> &'static str {
        "speaking"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(ready(Ok(Probe::Available { version: None })))
    }
}

impl Offers for Speaking {
    fn operations(&self) -> BoxFuture<'_, Result<Vec<DynamicOperation>>> {
        let schema = Map::from_iter([("type".to_owned(), json!("object"))]);
        let say = DynamicOperation {
            effect: Some(Effect::Read),
            returns_tool_result: true,
            ..DynamicOperation::new("new.speaking:say", "Says it.", schema)
        };
        Box::pin(ready(Ok(vec![say])))
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: &'a Context,
        _: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Value>> {
        Box::pin(ready(Ok(self.0.clone())))
    }
}

/// A provider at an address.
struct At(&'static str);

impl Provider for At {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(ready(Ok(Probe::Available { version: None })))
    }
}

impl Offers for At {}

impl Supervised for At {
    fn location(&self, account: Option<&str>) -> String {
        format!("{} {}", self.0, account.unwrap_or_default())
    }
}

/// The answers to calls with a key, which several servers share.
#[derive(Debug, Default)]
struct Shared {
    answers: Mutex<Vec<(Arc<Claim>, ClaimedAnswer)>>,
    backlog: Backlog,
}

impl Storage for Shared {
    fn record(&self, _: Record) {}

    fn calls(&self, _: AuditFilter) -> Stored<'_, Vec<AuditRow>> {
        Box::pin(ready(Err(StorageFailed)))
    }

    fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    fn claim(&self, claim: Arc<Claim>) -> Stored<'_, Claimed> {
        let answers = self.answers.lock().unwrap();
        let known = answers.iter().find(|(known, _)| known.key == claim.key);
        let claimed = known.map_or(Claimed::New, |(known, answer)| {
            if *known == claim { Claimed::Answered(answer.clone()) } else { Claimed::Taken }
        });
        Box::pin(ready(Ok(claimed)))
    }

    fn complete(&self, claim: Arc<Claim>, answer: Option<ClaimedAnswer>) -> Stored<'_, ()> {
        let answer = answer.map(|answer| (claim, answer));
        self.answers.lock().unwrap().extend(answer);
        Box::pin(ready(Ok(())))
    }

    fn add_listed(&self, _: AccountCosts) -> Stored<'_, ()> {
        Box::pin(ready(Err(StorageFailed)))
    }

    fn listed(&self) -> Stored<'_, AccountCosts> {
        Box::pin(ready(Err(StorageFailed)))
    }

    fn forget_listed(&self) -> Stored<'_, ()> {
        Box::pin(ready(Err(StorageFailed)))
    }
}

/// A probe that outlives the runtime panics when it sleeps.
#[tokio::test]
async fn no_probe_runs_when_the_server_is_closed() {
    let (silent, has_begun, has_ended) = Silent::new();
    let served = Served::by(vec![Arc::new(Probed(silent))]);
    served.supervisors.states().begin();
    has_begun.await.unwrap();
    served.pipeline.close().await;
    assert!(has_ended.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_call_that_waits_for_a_provider_ends_when_the_provider_is_replaced() {
    let (silent, has_begun, _) = Silent::new();
    let served = Served::by(vec![Arc::new(Probed(silent))]);
    let (waiting, late) = (served.caller(), served.caller());
    let lose = async {
        has_begun.await.unwrap();
        served.lose();
    };
    let (ended, ()) = join(call(&served.pipeline, waiting, "own.ask", json!({})), lose).await;
    let fault = ended.unwrap_err();
    assert_eq!(fault.code(), Code::ProviderUnavailable);
    assert!(fault.message().contains("not been examined yet"), "{fault:?}");
    let fault = call(&served.pipeline, late, "own.ask", json!({})).await.unwrap_err();
    assert_eq!(fault.code(), Code::ProviderUnavailable, "it has the replaced provider, too");
}

#[tokio::test]
async fn a_call_that_waits_for_a_provider_ends_when_it_is_cancelled() {
    let (silent, has_begun, _) = Silent::new();
    let served = Served::by(vec![Arc::new(Probed(silent))]);
    let caller = served.caller();
    let cancellation = caller.cancellation.clone();
    let cancel = async {
        has_begun.await.unwrap();
        cancellation.cancel();
    };
    let (ended, ()) = join(call(&served.pipeline, caller, "own.ask", json!({})), cancel).await;
    assert_eq!(ended.unwrap_err().code(), Code::Cancelled);
}

#[tokio::test]
async fn a_provider_that_answers_with_anything_has_answered_with_content() {
    let block = |text: &str| json!([{"type": "text", "text": text}]);
    let answers = [
        (json!("said"), block("said")),
        (json!([1, "two"]), block(r#"[1,"two"]"#)),
        (json!(3), block("3")),
        (json!(null), block("null")),
        (json!({"content": block("as it should")}), block("as it should")),
        (json!({"other": 1}), json!([])),
    ];
    for (answer, expected) in answers {
        let served = Served::by(vec![Arc::new(Offering(Speaking(answer)))]);
        served.supervisors.states().wait_until_examined().await;
        let caller = served.caller();
        let said = call(&served.pipeline, caller, "new.speaking:say", json!({})).await;
        assert_eq!(said.unwrap(), expected);
    }
}

/// Programs of one name share their state, wherever their providers are.
#[tokio::test]
async fn a_key_belongs_to_the_addresses_of_the_providers() {
    let state = State::kept_in(Arc::new(Shared::default()));
    let keyed = async |address: &'static str, key: &str| {
        let served = Served::keeping(state.clone(), vec![Arc::new(At(address))]);
        let mut caller = served.caller();
        caller.idempotency_key = Some(json!(key));
        call(&served.pipeline, caller, "own.ask", json!({})).await
    };
    assert_eq!(keyed("first", "a").await.unwrap(), json!("done"));
    assert_eq!(keyed("first", "a").await.unwrap(), json!("done"), "the first answer");
    assert_eq!(keyed("second", "a").await.unwrap_err().code(), Code::ValidationError);
    assert_eq!(keyed("second", "b").await.unwrap(), json!("done"));
}
