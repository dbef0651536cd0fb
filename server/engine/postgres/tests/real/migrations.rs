//! The schema: replicas that start at the same time, versions side by side, and roles that may not change it.

use std::num::NonZeroU32;
use std::time::Duration;

use futures::future::join_all;
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::caller::session_calls::SessionCalls;
use toolwrit_core::shared::RequestRate;
use toolwrit_postgres::{Address, Problem, Replica, Settings, Unusable, examine};

use crate::postgres::Postgres;

/// The version of the schema of this program.
const NEWEST: u32 = 3;

#[tokio::test(flavor = "multi_thread")]
async fn sixty_replicas_may_start_at_once() {
    let Some(postgres) = Postgres::start() else { return };
    let settings = postgres.settings();
    let starts = (0..60).map(|_| Replica::migrate(&settings, None));
    for version in join_all(starts).await {
        assert_eq!(version.unwrap(), NEWEST);
    }
    let rows = postgres.connect().await;
    let rows = rows.query_typed("SELECT current, oldest FROM toolwrit.version", &[]).await.unwrap();
    assert_eq!((rows[0].get::<_, i32>(0), rows[0].get::<_, i32>(1)), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_program_goes_on_until_a_migration_ends_its_support() {
    let Some(postgres) = Postgres::start() else { return };
    let older = Settings { schemas: 1..=1, ..postgres.settings() };
    assert_eq!(Replica::migrate(&older, None).await.unwrap(), 1);
    assert_eq!(Replica::migrate(&postgres.settings(), None).await.unwrap(), NEWEST);
    assert_eq!(Replica::migrate(&older, None).await.unwrap(), NEWEST, "it goes on");

    let client = postgres.connect().await;
    client.batch_execute("UPDATE toolwrit.version SET oldest = 2").await.unwrap();
    let refused = Replica::migrate(&older, None).await.unwrap_err();
    assert!(
        matches!(refused, Unusable::Newer { current: NEWEST, oldest: 2, newest: 1 }),
        "{refused}"
    );
    assert!(refused.fix().contains("Update this program"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_serves_that_may_not_change_what_is_recorded() {
    let Some(postgres) = Postgres::start() else { return };
    let client = postgres.connect().await;
    client.batch_execute(r#"CREATE ROLE "Ser ving" LOGIN"#).await.unwrap();
    let url = postgres.url().replace("tw@", "Ser%20ving@");
    let serving = Settings::new(Address::parse(&url).unwrap());
    let refused = Replica::migrate(&serving, None).await.unwrap_err();
    assert!(matches!(refused, Unusable::Forbidden { current: 0, newest: NEWEST, .. }), "{refused}");
    assert!(refused.fix().contains("migrate --grant"), "{refused}");

    assert_eq!(Replica::migrate(&postgres.settings(), Some("Ser ving")).await.unwrap(), NEWEST);
    assert_eq!(Replica::migrate(&serving, None).await.unwrap(), NEWEST);
    client.batch_execute(r#"SET ROLE "Ser ving""#).await.unwrap();
    client.batch_execute("SELECT toolwrit.keep_days(90, 9)").await.unwrap();
    let days = client.query_typed("SELECT toolwrit.days_ahead()", &[]).await.unwrap();
    assert_eq!(days[0].get::<_, i32>(0), 9);
    let day = "audit_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')";
    let today =
        client.query_typed(&format!("SELECT 'DELETE FROM toolwrit.{day}"), &[]).await.unwrap();
    for forbidden in [
        today[0].get(0),
        "UPDATE toolwrit.audit SET name = ''",
        "DELETE FROM toolwrit.audit",
        "UPDATE toolwrit.version SET oldest = 9",
    ] {
        let refused = client.batch_execute(forbidden).await.unwrap_err();
        assert_eq!(refused.code().unwrap().code(), "42501", "{forbidden}");
    }
}

/// Waits until a replica says why it must get no requests.
async fn reason(replica: &Replica, part: &str) -> String {
    loop {
        let reason = replica.state().unready().unwrap();
        if reason.contains(part) {
            return reason;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_serves_nothing_before_its_database_fits_and_says_what_mends_it() {
    let Some(postgres) = Postgres::start() else { return };
    let client = postgres.connect().await;
    for statement in [
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0",
        "CREATE DATABASE other",
        "CREATE ROLE serving LOGIN",
        "CREATE ROLE reading LOGIN SUPERUSER",
        "ALTER ROLE reading SET default_transaction_read_only = on",
    ] {
        client.batch_execute(statement).await.unwrap();
    }
    let url = postgres.url();
    let (server, _) = url.rsplit_once('/').unwrap();
    let settings = |url: &str| Settings::new(Address::parse(url).unwrap());
    let foreign = settings(&format!("{server}/other"));
    let (other, connection) =
        tokio_postgres::connect(&format!("{server}/other"), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let own = "CREATE SCHEMA toolwrit; CREATE TABLE toolwrit.audit (nothing integer)";
    other.batch_execute(own).await.unwrap();
    for (settings, what, fix) in [
        (settings(&format!("{server}/latin")), "encoding LATIN1", "ENCODING 'UTF8'"),
        (settings(&format!("{server}/absent")), "does not exist", "Create the database"),
        (settings(&url.replace("tw@", "nobody@")), "does not exist", "Correct the user"),
        (settings(&url.replace("tw@", "serving@")), "permission denied", "migrate --grant"),
        (settings(&format!("{url}?sslmode=require")), "TLS", "`sslmode`"),
        (foreign, "something else", "another database"),
        (settings(&url.replace("tw@", "reading@")), "read-only", "target_session_attrs"),
    ] {
        let replica = Replica::open(settings.clone());
        let said = reason(&replica, what).await;
        assert!(said.contains(fix), "{said}");
        let refused = Replica::migrate(&settings, None).await.unwrap_err();
        assert!(refused.to_string().contains(what) && refused.fix().contains(fix), "{refused}");
    }
    // What an operator mends is found without a restart.
    let replica = Replica::open(settings(&format!("{server}/absent")));
    reason(&replica, "does not exist").await;
    client.batch_execute("CREATE DATABASE absent").await.unwrap();
    while replica.state().unready().is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_of_this_version_serves_the_schema_before_until_its_owner_migrates_it() {
    let Some(postgres) = Postgres::start() else { return };
    let client = postgres.connect().await;
    client.batch_execute("CREATE ROLE serving LOGIN").await.unwrap();
    let before = Settings { schemas: 1..=NEWEST - 1, ..postgres.settings() };
    Replica::migrate(&before, Some("serving")).await.unwrap();
    let url = postgres.url().replace("tw@", "serving@");
    let serving = Settings::new(Address::parse(&url).unwrap());
    let replica = Replica::open(serving.clone());
    let state = replica.state();
    while state.unready().is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Without a table for them, the calls of a session and the requests to an API are counted here.
    let session = SessionCalls::default().named(Some("one".to_owned()));
    assert_eq!(state.shared().count_in_session(&session, 9).await, 1);
    assert_eq!(state.shared().count_in_session(&session, 9).await, 2);
    let rate = RequestRate { requests: NonZeroU32::MIN, per: Duration::from_hours(1) };
    assert_eq!(state.shared().take_request("weather", rate).await, None);
    // The other limits still hold for all.
    assert_eq!(state.shared().count(&Principal::new("ada"), 1).await, Ok(()));
    assert!(state.shared().count(&Principal::new("ada"), 1).await.is_err());
    let counted = client.query("SELECT calls FROM toolwrit.hours", &[]).await.unwrap();
    assert_eq!(counted[0].get::<_, i64>(0), 1);
    let problems = examine(&serving).await.unwrap().problems;
    let [behind @ Problem::Behind { current: 2, newest: NEWEST }] = &problems[..] else {
        panic!("{problems:?}")
    };
    assert!(behind.fix().contains("migrate --grant"), "{behind}");
    Replica::migrate(&postgres.settings(), Some("serving")).await.unwrap();
    assert_eq!(state.shared().take_request("weather", rate).await, Some(Ok(())));
}
