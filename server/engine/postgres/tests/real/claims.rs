//! Calls with an idempotency key, on several replicas.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use toolwrit_core::fault::Code;
use toolwrit_postgres::{Address, Replica, Schema, Settings};

use crate::postgres::Postgres;
use crate::served::{APPEND, Handler, PUT, Served};
use crate::wire::Wire;

/// A replica and its server.
struct Node {
    served: Served,
    // Dropped last: it writes what calls leave behind.
    replica: Replica,
}

impl Node {
    async fn start(settings: Settings, handler: Handler) -> Self {
        let replica = Replica::open(settings);
        let served = Served::new(replica.state(), handler);
        let node = Self { served, replica };
        node.ready().await;
        node
    }

    /// Waits until it may start calls with a key.
    async fn ready(&self) {
        let fits = |status: &toolwrit_postgres::Status| {
            matches!(status.schema, Schema::Fits(_))
                && status.renewed.is_some_and(|age| age < Duration::from_secs(8))
        };
        while !self.replica.status().as_ref().is_some_and(fits) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A handler that numbers its runs.
fn counting(runs: &Arc<AtomicU64>) -> Handler {
    let runs = runs.clone();
    Arc::new(move |_| {
        let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move { Ok(json!(run)) })
    })
}

/// Where handlers wait.
struct Gate {
    arrived: Semaphore,
    open: Semaphore,
}

impl Gate {
    fn new(open: usize) -> Arc<Self> {
        Arc::new(Self { arrived: Semaphore::new(0), open: Semaphore::new(open) })
    }

    /// Waits until so many handlers wait.
    async fn arrived(&self, handlers: u32) {
        self.arrived.acquire_many(handlers).await.unwrap().forget();
    }

    /// A handler that says this once the gate is open.
    fn handler(self: &Arc<Self>, says: &'static str) -> Handler {
        let gate = self.clone();
        Arc::new(move |_| {
            let gate = gate.clone();
            Box::pin(async move {
                gate.arrived.add_permits(1);
                let _open = gate.open.acquire().await;
                Ok(json!(says))
            })
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_raced_by_eight_replicas_run_once() {
    let Some(postgres) = Postgres::start() else { return };
    let runs = Arc::new(AtomicU64::new(0));
    let nodes = (0..8).map(|_| Node::start(postgres.settings(), counting(&runs)));
    let nodes = join_all(nodes).await;
    let mut answers = HashSet::new();
    for batch in 0..20 {
        let keys = (0..20).map(|number| format!("{batch}-{number}"));
        let races = keys.map(|key| {
            let nodes = &nodes;
            async move {
                let calls = nodes.iter().map(|node| node.served.insist("ada", APPEND, &key));
                let answers: HashSet<Value> =
                    join_all(calls).await.into_iter().map(Result::unwrap).collect();
                assert_eq!(answers.len(), 1, "{key}");
                answers
            }
        });
        answers.extend(join_all(races).await.into_iter().flatten());
    }
    assert_eq!(runs.load(Ordering::SeqCst), 400);
    assert_eq!(answers.len(), 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_replica_without_a_lease_go_to_others() {
    let Some(postgres) = Postgres::start() else { return };
    let wire = Wire::to(postgres.port()).await;
    let mut settings = postgres.settings();
    let url = postgres.url().replace(&postgres.port().to_string(), &wire.port().to_string());
    settings.address = Address::parse(&url).unwrap();
    let gate = Gate::new(0);
    let lost = Node::start(settings, gate.handler("lost")).await;
    let other =
        Node::start(postgres.settings(), Arc::new(|_| Box::pin(async { Ok(json!("other")) })))
            .await;

    let (served, mut running) = (lost.served.clone(), Vec::new());
    for (operation, key) in [(APPEND, "once"), (PUT, "again")] {
        let served = served.clone();
        running.push(tokio::spawn(async move { served.call("ada", operation, Some(key)).await }));
    }
    gate.arrived(2).await;
    for (operation, key) in [(APPEND, "once"), (PUT, "again")] {
        let fault = other.served.call("ada", operation, Some(key)).await.unwrap_err();
        assert_eq!(fault.code(), Code::Conflict);
        assert!(fault.message().contains("still running"), "{fault:?}");
    }

    wire.cut();
    let cut = Instant::now();
    assert_eq!(other.served.insist("ada", PUT, "again").await.unwrap(), "other");
    let taken = cut.elapsed();
    assert!((Duration::from_secs(6)..Duration::from_secs(14)).contains(&taken), "{taken:?}");
    let unknown = other.served.call("ada", APPEND, Some("once")).await.unwrap_err();
    assert!(unknown.message().contains("unknown whether it was done"), "{unknown:?}");
    let refused = lost.served.call("ada", APPEND, Some("new")).await.unwrap_err();
    assert_eq!(refused.code(), Code::ProviderUnavailable);

    wire.mend();
    lost.ready().await;
    gate.open.add_permits(100);
    for call in running {
        assert_eq!(call.await.unwrap().unwrap(), "lost");
    }
    // The answer of the old id counts where nobody took the call over.
    assert_eq!(other.served.call("ada", APPEND, Some("once")).await.unwrap(), "lost");
    assert_eq!(other.served.call("ada", PUT, Some("again")).await.unwrap(), "other");
    assert_eq!(lost.served.call("ada", APPEND, Some("new")).await.unwrap(), "lost");
    let ids = postgres
        .connect()
        .await
        .query_typed("SELECT id FROM toolwrit.replicas", &[])
        .await
        .unwrap();
    assert_eq!(ids.len(), 3, "the lapsed one, and those of both replicas");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_the_database_could_not_take_is_written_later() {
    let Some(mut postgres) = Postgres::start() else { return };
    let gate = Gate::new(0);
    let node = Node::start(postgres.settings(), gate.handler("first")).await;
    let served = node.served.clone();
    let call = tokio::spawn(async move { served.call("ada", APPEND, Some("key")).await });
    let other = Node::start(postgres.settings(), Gate::new(9).handler("second")).await;
    gate.arrived(1).await;

    postgres.kill();
    gate.open.add_permits(1);
    assert_eq!(call.await.unwrap().unwrap(), "first", "the call has ended, whatever is stored");
    postgres.restart();
    assert_eq!(other.served.insist("ada", APPEND, "key").await.unwrap(), "first");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_ends_leaves_no_row() {
    let Some(postgres) = Postgres::start() else { return };
    let node = Node::start(postgres.settings(), counting(&Arc::default())).await;
    assert_eq!(node.served.call("ada", APPEND, Some("key")).await.unwrap(), json!(1));
    let Node { served, replica } = node;
    drop(served);
    tokio::task::spawn_blocking(move || drop(replica)).await.unwrap();
    let client = postgres.connect().await;
    let count = |table| format!("SELECT count(*) FROM toolwrit.{table}");
    for (table, expected) in [("replicas", 0), ("claims", 1), ("audit", 1), ("leases", 0)] {
        let rows = client.query_typed(&count(table), &[]).await.unwrap();
        assert_eq!(rows[0].get::<_, i64>(0), expected, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_the_database_takes_too_late_binds_nobody() {
    let Some(postgres) = Postgres::start() else { return };
    let runs = Arc::new(AtomicU64::new(0));
    let [node, other] = [
        Node::start(postgres.settings(), counting(&runs)).await,
        Node::start(postgres.settings(), counting(&runs)).await,
    ];
    // Its connection is open, so that the statement arrives while the database is halted.
    assert_eq!(node.served.call("ada", APPEND, Some("first")).await.unwrap(), json!(1));
    postgres.signal_all(Signal::STOP);
    for operation in [APPEND, PUT] {
        let refused = node.served.call("ada", operation, Some(operation)).await.unwrap_err();
        assert_eq!(refused.code(), Code::ProviderUnavailable);
    }
    postgres.signal_all(Signal::CONT);
    for (operation, run) in [(APPEND, 2), (PUT, 3)] {
        let answer = other.served.insist("ada", operation, operation);
        let answer = tokio::time::timeout(Duration::from_secs(20), answer).await;
        assert_eq!(answer.unwrap().unwrap(), json!(run));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_waits_for_the_schema() {
    let Some(postgres) = Postgres::start() else { return };
    let replica = Replica::open(postgres.settings());
    let served = Served::new(replica.state(), counting(&Arc::default()));
    assert_eq!(served.call("ada", APPEND, Some("key")).await.unwrap(), json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_the_dead_are_counted_and_what_is_old_is_deleted() {
    let Some(postgres) = Postgres::start() else { return };
    Replica::migrate(&postgres.settings(), None).await.unwrap();
    let client = postgres.connect().await;
    let old = "INSERT INTO toolwrit.claims (principal, key, operation, arguments, started, owner, attempt, answer)
        SELECT 'ada', decode(to_hex(n + 16), 'hex'), '', '', clock_timestamp() - n * interval '1 minute',
            gen_random_uuid(), gen_random_uuid(), NULL
        FROM generate_series(1, 200) AS n;
        UPDATE toolwrit.claims SET started = started - interval '1 day' WHERE started < clock_timestamp() - interval '100 minutes'";
    client.batch_execute(old).await.unwrap();
    let node = Node::start(postgres.settings(), counting(&Arc::default())).await;
    let unfinished = || node.replica.status().and_then(|status| status.unfinished);
    while unfinished().is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(unfinished(), Some(9), "one a minute, and the tenth is ten minutes old");
    let left = client.query_typed("SELECT count(*) FROM toolwrit.claims", &[]).await.unwrap();
    assert_eq!(left[0].get::<_, i64>(0), 99);
}
