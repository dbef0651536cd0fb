//! What replicas share: limits, leases, texts and notices.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use futures::future::join_all;
use toolwrit_core::audit::storage::State;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::shared::{Heard, Kept, Notice, RequestRate};
use toolwrit_postgres::{Replica, Settings};

use crate::postgres::Postgres;
use crate::served::{SOLE, Served, done};

/// Replicas that are ready.
pub(crate) struct Replicas(Vec<Replica>);

impl Replicas {
    pub(crate) async fn start(settings: &Settings, count: usize) -> Self {
        let named = |number| Settings { replica: format!("replica-{number}"), ..settings.clone() };
        let replicas = Self((0..count).map(|number| Replica::open(named(number))).collect());
        for state in replicas.states() {
            while state.unready().is_some() || !state.shared().hears() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        replicas
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.0.iter().map(Replica::state).collect()
    }
}

fn ada() -> Principal {
    Principal::new("ada")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_is_that_of_all_replicas() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 3).await;
    let (rate, seconds) = (NonZeroU32::new(50).unwrap(), 4);
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds);
    let callers = replicas.states().into_iter().map(|state| async move {
        let mut granted = 0;
        while Instant::now() < end {
            match state.shared().take(&ada(), rate).await {
                Ok(()) => granted += 1,
                Err(wait) => {
                    assert!(wait <= Duration::from_secs(1), "{wait:?}");
                    tokio::time::sleep(wait.min(Duration::from_millis(5))).await;
                }
            }
        }
        granted
    });
    let granted: u64 = join_all(callers).await.into_iter().sum();
    let expected = f64::from(rate.get()) * (1.0 + start.elapsed().as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let ratio = granted as f64 / expected;
    assert!((0.95..=1.05).contains(&ratio), "{granted} calls, {expected} expected");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_hour_has_its_calls_once_over_all_replicas() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 3).await;
    let states = replicas.states();
    let callers = (0..24).map(|number| {
        let state = states[number % 3].clone();
        async move {
            let mut granted = 0;
            for _ in 0..50 {
                granted += u32::from(state.shared().count(&ada(), 300).await.is_ok());
            }
            granted
        }
    });
    assert_eq!(join_all(callers).await.into_iter().sum::<u32>(), 300);
    let left = states[0].shared().count(&ada(), 300).await.unwrap_err();
    assert!((Duration::from_mins(59)..=Duration::from_hours(1)).contains(&left), "{left:?}");
    assert_eq!(states[1].shared().count(&Principal::new("ben"), 300).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_counts_its_calls_over_replicas_and_while_the_database_is_away() {
    let Some(mut postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    let [a, b] = [states[0].shared(), states[1].shared()];
    let session = |id: &str| SessionCalls::default().named(Some(id.to_owned()));
    let (at_a, at_b) = (session("one"), session("one"));
    assert_eq!(a.count_in_session(&at_a, 10).await, 1);
    assert_eq!(a.count_in_session(&at_a, 10).await, 2);
    assert_eq!(b.count_in_session(&at_b, 10).await, 3, "the other replica counts on");
    assert_eq!(b.count_in_session(&session("two"), 10).await, 1, "another session");
    assert_eq!(b.count_in_session(&SessionCalls::default(), 10).await, 1, "one without an id");
    postgres.kill();
    assert_eq!(b.count_in_session(&at_b, 10).await, 4);
    assert_eq!(b.count_in_session(&at_b, 10).await, 5);
    postgres.restart();
    // What was counted without the database is not forgotten. The first calls may still be without it.
    let mut last = 5;
    while a.count_in_session(&session("one"), u64::MAX).await <= 5 {
        last += 1;
        assert_eq!(b.count_in_session(&at_b, u64::MAX).await, last);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rate_of_an_api_is_that_of_all_replicas() {
    let Some(mut postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 3).await;
    let states = replicas.states();
    let rate = RequestRate { requests: NonZeroU32::new(2).unwrap(), per: Duration::from_hours(1) };
    let mut granted = 0;
    for _ in 0..4 {
        for state in &states {
            match state.shared().take_request("weather", rate).await {
                Some(Ok(())) => granted += 1,
                Some(Err(wait)) => {
                    let half = Duration::from_mins(29)..=Duration::from_mins(30);
                    assert!(half.contains(&wait), "{wait:?}");
                }
                None => panic!("the database did not answer"),
            }
        }
    }
    assert_eq!(granted, 2);
    assert_eq!(states[0].shared().take_request("other", rate).await, Some(Ok(())));
    postgres.kill();
    let beside = states[1].shared().take_request("third", rate).await;
    assert_eq!(beside, None, "each replica keeps to its part");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_database_each_replica_allows_its_part() {
    let Some(mut postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    for state in replicas.states() {
        while state.shared().replicas() < 2 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    postgres.kill();
    let rate = NonZeroU32::new(20).unwrap();
    for state in replicas.states() {
        let mut granted = 0;
        let start = Instant::now();
        for _ in 0..30 {
            granted += u32::from(state.shared().take(&ada(), rate).await.is_ok());
        }
        let spent = start.elapsed();
        assert!(spent < Duration::from_secs(3), "{spent:?}");
        assert!((10..=20).contains(&granted), "{granted}");
        let ada = ada();
        let counted = (0..30).map(|_| state.shared().count(&ada, 20));
        let counted = join_all(counted).await.into_iter().flatten().count();
        assert_eq!(counted, 10);
        assert!(state.unready().is_none(), "all replicas would be unready at once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_belongs_to_one_process_until_it_ends() {
    let Some(postgres) = Postgres::start() else { return };
    let mut replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    assert_eq!(states[0].shared().lease("vault").await, Ok(None));
    assert_eq!(states[0].shared().lease("vault").await, Ok(None), "again");
    assert_eq!(states[1].shared().lease("vault").await, Ok(Some("replica-0".to_owned())));
    assert_eq!(states[1].shared().lease("other").await, Ok(None));
    // Longer than a lease lasts without renewal.
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(states[1].shared().lease("vault").await, Ok(Some("replica-0".to_owned())));
    states[1].shared().release("vault").await;
    assert_eq!(states[1].shared().lease("vault").await, Ok(Some("replica-0".to_owned())));
    states[1].shared().release("other").await;
    assert_eq!(states[0].shared().lease("other").await, Ok(None));
    assert_eq!(states[0].shared().replicas(), 2);
    let first = replicas.0.remove(0);
    tokio::task::spawn_blocking(move || drop(first)).await.unwrap();
    assert_eq!(states[1].shared().lease("vault").await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_gone_before_it_has_its_slot_leaves_it_to_others() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    while states.iter().any(|state| state.shared().replicas() < 2) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let [gone, other] = [0, 1].map(|at| Served::new(states[at].clone(), done()));
    let client = postgres.connect().await;
    let row = "BEGIN; INSERT INTO toolwrit.leases (name, owner, replica, fence, until)
        VALUES ('slot 0 of own.sole', gen_random_uuid(), 'x', 1, clock_timestamp())";
    client.batch_execute(row).await.unwrap();
    let call = tokio::spawn(async move { gone.call("ada", SOLE, None).await });
    let watching = postgres.connect().await;
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    while watching.query_typed(waits, &[]).await.unwrap()[0].get::<_, i64>(0) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    client.batch_execute("ROLLBACK").await.unwrap();
    let called = tokio::time::timeout(Duration::from_secs(30), other.call("ada", SOLE, None));
    called.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_found_by_others_until_they_expire() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    let [a, b] = [states[0].shared(), states[1].shared()];
    let (minute, moment) = (Duration::from_mins(1), Duration::from_millis(300));
    assert_eq!(a.kept(Kept::Task, "id").await, Ok(None));
    a.keep(Kept::Task, "id", "first".into(), minute).await.unwrap();
    a.keep(Kept::Task, "id", "second".into(), Duration::MAX).await.unwrap();
    assert_eq!(b.kept(Kept::Task, "id").await, Ok(Some("second".to_owned())));
    assert_eq!(b.kept(Kept::Session, "id").await, Ok(None), "another kind");
    a.keep(Kept::TaskRuns, "id", "now".into(), moment).await.unwrap();
    tokio::time::sleep(moment * 2).await;
    assert_eq!(b.kept(Kept::TaskRuns, "id").await, Ok(None));
    for number in 0..20 {
        let from = if number % 2 == 0 { a } else { b };
        from.add(Kept::TaskInput, "id", number.to_string(), minute).await.unwrap();
    }
    let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(b.collect(Kept::TaskInput, "id").await, Ok(expected));
    assert_eq!(a.collect(Kept::TaskInput, "id").await, Ok(Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_reach_the_others_and_gaps_are_told() {
    let Some(mut postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    let mut own = states[0].shared().watch().unwrap();
    let mut other = states[1].shared().watch().unwrap();
    let resource = |number: usize| Notice::Resource(format!("own://{}/{number}", "x".repeat(100)));
    let sent: Vec<Notice> = (0..500).map(resource).collect();
    join_all(sent.iter().map(|notice| states[0].shared().publish(notice.clone()))).await;
    let mut heard = HashSet::new();
    while heard.len() < sent.len() {
        let next =
            tokio::time::timeout(Duration::from_secs(5), other.recv()).await.unwrap().unwrap();
        let Heard::Notice(Notice::Resource(uri)) = next else { panic!("{next:?}") };
        heard.insert(uri);
    }
    assert!(own.try_recv().is_err(), "a process does not hear itself");

    postgres.kill();
    while states[1].shared().hears() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let start = Instant::now();
    states[0].shared().publish(Notice::Upstreams).await;
    assert!(start.elapsed() < Duration::from_secs(3), "nobody waits for a database that is away");
    postgres.restart();
    assert_eq!(other.recv().await.unwrap(), Heard::Missed);
    while !states[1].shared().hears() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
