//! Recorded calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use toolwrit_core::audit::row::AuditFilter;
use toolwrit_core::fault::Fault;
use toolwrit_postgres::{AuditMode, Replica, Settings};

use crate::postgres::Postgres;
use crate::served::{APPEND, READ, Served, done};

const ALL: AuditFilter = AuditFilter {
    limit: 100_000,
    since: None,
    operation: None,
    principal: None,
    outcome: None,
    client: None,
    only_calls: false,
};

/// Waits until all records of a replica are written.
async fn written(replica: &Replica) {
    while replica.status().unwrap().audit_oldest.is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_recorded_once_although_the_database_crashes() {
    let Some(mut postgres) = Postgres::start() else { return };
    let replicas: Vec<Replica> = (0..3).map(|_| Replica::open(postgres.settings())).collect();
    let served: Vec<Served> =
        replicas.iter().map(|replica| Served::new(replica.state(), done())).collect();
    for round in 0..3 {
        let calls = (0..1000).map(|number| served[number % 3].call("ada", READ, None));
        let work = tokio::spawn(join_all(served.iter().map(|served| {
            let served = served.clone();
            async move {
                for _ in 0..100 {
                    served.call("ben", READ, None).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(3)).await;
                }
            }
        })));
        join_all(calls).await;
        if round < 2 {
            postgres.crash();
        }
        work.await.unwrap();
    }
    for replica in &replicas {
        written(replica).await;
    }
    let client = postgres.connect().await;
    let count = "SELECT count(*), count(DISTINCT id) FROM toolwrit.audit WHERE outcome = 'ok'";
    let rows = client.query_typed(count, &[]).await.unwrap();
    assert_eq!((rows[0].get::<_, i64>(0), rows[0].get::<_, i64>(1)), (3900, 3900));
    let lost: u64 = replicas.iter().map(|replica| replica.status().unwrap().audit_lost).sum();
    assert_eq!(lost, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_found_by_what_they_were() {
    let Some(postgres) = Postgres::start() else { return };
    let replica = Replica::open(postgres.settings());
    let state = replica.state();
    let fails: crate::served::Handler = Arc::new(|operation| {
        Box::pin(async move {
            if operation == 0 { Err(Fault::conflict("no")) } else { Ok(serde_json::json!("yes")) }
        })
    });
    let served = Served::new(state.clone(), fails);
    for (principal, operation) in
        [("ada", READ), ("ada", APPEND), ("b\0b", READ), ("ada", "no\0thing"), ("ada", READ)]
    {
        let _ = served.call(principal, operation, None).await;
    }
    let names = async |filter: AuditFilter| -> Vec<String> {
        let rows = state.calls(filter).await.unwrap();
        rows.into_iter()
            .map(|row| format!("{} {} {}", row.principal, row.name, row.outcome))
            .collect()
    };
    let all = [
        "ada own.read ok",
        "ada own.append CONFLICT",
        "b\u{FFFD}b own.read ok",
        "ada no\u{FFFD}thing TOOL_NOT_FOUND",
        "ada own.read ok",
    ];
    assert_eq!(names(ALL).await, all);
    assert_eq!(names(AuditFilter { limit: 2, ..ALL }).await, all[3..]);
    let filtered =
        AuditFilter { operation: Some(READ.into()), principal: Some("ada".into()), ..ALL };
    assert_eq!(names(filtered).await, [all[0], all[4]]);
    assert_eq!(names(AuditFilter { outcome: Some("CONFLICT".into()), ..ALL }).await, [all[1]]);
    let future = jiff::Timestamp::now() + Duration::from_mins(1);
    assert!(names(AuditFilter { since: Some(future), ..ALL }).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_reads_that_succeed_are_left_out_of_a_sample() {
    let Some(postgres) = Postgres::start() else { return };
    let replica = Replica::open(Settings { sample_reads: 0.0, ..postgres.settings() });
    let served = Served::new(replica.state(), done());
    for operation in [READ, APPEND, "nothing"] {
        let _ = served.call("ada", operation, None).await;
    }
    let rows = replica.state().calls(ALL).await.unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, [APPEND, "nothing"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_is_append_only_and_forgets_whole_days() {
    let Some(postgres) = Postgres::start() else { return };
    Replica::migrate(&postgres.settings(), None).await.unwrap();
    let client = postgres.connect().await;
    let insert = "INSERT INTO toolwrit.audit (at, id, replica, principal, surface, name, focus, role, decision, outcome,
            micros, bytes_in, bytes_out)
        SELECT clock_timestamp(), gen_random_uuid(), '', '', '', '', '', '', '', '', 0, 0, 0";
    client.batch_execute(insert).await.unwrap();
    for change in [
        "UPDATE toolwrit.audit SET name = 'x'",
        "DELETE FROM toolwrit.audit",
        "TRUNCATE toolwrit.audit",
    ] {
        let refused = client.batch_execute(change).await.unwrap_err();
        assert_eq!(
            refused.as_db_error().unwrap().message(),
            "the audit is append-only",
            "{change}"
        );
    }
    let old = "CREATE TABLE toolwrit.audit_20200101 PARTITION OF toolwrit.audit
        FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')";
    client.batch_execute(old).await.unwrap();
    client
        .batch_execute("SET timezone = 'Pacific/Auckland'; SELECT toolwrit.keep_days(90, 7)")
        .await
        .unwrap();
    let days = "SELECT count(*), min(relname) > 'audit_2020' FROM pg_class
        WHERE relname LIKE 'audit\\_2%' AND relkind = 'r'";
    let rows = client.query_typed(days, &[]).await.unwrap();
    assert_eq!((rows[0].get::<_, i64>(0), rows[0].get::<_, bool>(1)), (9, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_are_required_are_written_before_a_write_is_answered() {
    let Some(mut postgres) = Postgres::start() else { return };
    let buffered = Replica::open(postgres.settings());
    let required = Replica::open(Settings { audit: AuditMode::Required, ..postgres.settings() });
    let served = Served::new(required.state(), done());
    served.call("ada", READ, None).await.unwrap();
    required.state().written().await.unwrap();
    let client = postgres.connect().await;
    let count = client.query_typed("SELECT count(*) FROM toolwrit.audit", &[]).await.unwrap();
    assert_eq!(count[0].get::<_, i64>(0), 1);

    postgres.kill();
    served.call("ada", READ, None).await.unwrap();
    let start = Instant::now();
    required.state().written().await.unwrap_err();
    let waited = start.elapsed();
    assert!((Duration::from_secs(4)..Duration::from_secs(7)).contains(&waited), "{waited:?}");
    buffered.state().written().await.unwrap();
    postgres.restart();
    while required.state().written().await.is_err() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_the_database_refuses_for_now_wait_and_nothing_required_is_done() {
    let Some(postgres) = Postgres::start() else { return };
    let settings = Settings { audit: AuditMode::Required, ..postgres.settings() };
    let replica = Replica::open(settings);
    let served = Served::new(replica.state(), done());
    served.call("ada", APPEND, None).await.unwrap();
    let client = postgres.connect().await;
    // No replica adds the days again.
    let no_days = "SELECT pg_advisory_lock(hashtextextended('toolwrit.keep_days', 0));
        DO $$ DECLARE day regclass; BEGIN
            FOR day IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'toolwrit.audit'::regclass LOOP
                EXECUTE format('DROP TABLE %s', day);
            END LOOP;
        END $$";
    let days = "SELECT toolwrit.keep_days(1, 7);
        SELECT pg_advisory_unlock(hashtextextended('toolwrit.keep_days', 0))";
    let harms = [
        (
            "ALTER TABLE toolwrit.audit RENAME name TO other",
            "ALTER TABLE toolwrit.audit RENAME other TO name",
        ),
        (no_days, days),
    ];
    for (harm, mend) in harms {
        client.batch_execute(harm).await.unwrap();
        served.call("ada", READ, None).await.unwrap();
        let refused = served.call("ada", APPEND, None).await.unwrap_err();
        assert!(refused.message().contains("must record each change"), "{refused:?}");
        client.batch_execute(mend).await.unwrap();
        while served.call("ada", APPEND, None).await.is_err() {}
    }
    let names = "SELECT count(*) FROM toolwrit.audit WHERE name = 'own.read'";
    let rows = client.query_typed(names, &[]).await.unwrap();
    // The days had the earlier ones.
    assert_eq!(rows[0].get::<_, i64>(0), 1);
    assert_eq!(replica.status().unwrap().audit_lost, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_that_someone_reads_keeps_no_other_work_from_being_done() {
    let Some(postgres) = Postgres::start() else { return };
    Replica::migrate(&postgres.settings(), None).await.unwrap();
    let client = postgres.connect().await;
    let harm = "CREATE TABLE toolwrit.audit_20200101 PARTITION OF toolwrit.audit
            FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00');
        DO $$ BEGIN EXECUTE format('DROP TABLE toolwrit.%I',
            'audit_' || to_char((clock_timestamp() AT TIME ZONE 'UTC') + interval '5 days', 'YYYYMMDD')); END $$;
        INSERT INTO toolwrit.leases (name, owner, replica, fence, until)
            VALUES ('long ago', gen_random_uuid(), 'x', 1, clock_timestamp() - interval '1 day')";
    client.batch_execute(harm).await.unwrap();
    client.batch_execute("BEGIN; SELECT FROM toolwrit.audit_20200101").await.unwrap();
    let replica = Replica::open(postgres.settings());
    let found = || replica.status().and_then(|status| status.days_ahead.zip(status.unfinished));
    while found().is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(found(), Some((7, 0)));
    let left = "SELECT count(*) FROM toolwrit.leases WHERE name = 'long ago'";
    let left = postgres.connect().await.query_typed(left, &[]).await.unwrap();
    assert_eq!(left[0].get::<_, i64>(0), 0);
}
