//! The schema: replicas that start at the same time, versions side by side, and roles that may not change it.

use futures::future::join_all;
use toolwrit_postgres::{Address, Replica, Settings, Unusable};

use crate::postgres::Postgres;

#[tokio::test(flavor = "multi_thread")]
async fn sixty_replicas_may_start_at_once() {
    let Some(postgres) = Postgres::start() else { return };
    let settings = postgres.settings();
    let starts = (0..60).map(|_| Replica::migrate(&settings, None));
    for version in join_all(starts).await {
        assert_eq!(version.unwrap(), 2);
    }
    let rows = postgres.connect().await;
    let rows = rows.query_typed("SELECT current, oldest FROM toolwrit.version", &[]).await.unwrap();
    assert_eq!((rows[0].get::<_, i32>(0), rows[0].get::<_, i32>(1)), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_program_goes_on_until_a_migration_ends_its_support() {
    let Some(postgres) = Postgres::start() else { return };
    let older = Settings { schemas: 1..=1, ..postgres.settings() };
    assert_eq!(Replica::migrate(&older, None).await.unwrap(), 1);
    assert_eq!(Replica::migrate(&postgres.settings(), None).await.unwrap(), 2);
    assert_eq!(Replica::migrate(&older, None).await.unwrap(), 2, "it goes on");

    let client = postgres.connect().await;
    client.batch_execute("UPDATE toolwrit.version SET oldest = 2").await.unwrap();
    let refused = Replica::migrate(&older, None).await.unwrap_err();
    assert!(matches!(refused, Unusable::Newer { current: 2, oldest: 2, newest: 1 }), "{refused}");
    assert!(refused.to_string().contains("update this program"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_serves_that_may_not_change_what_is_recorded() {
    let Some(postgres) = Postgres::start() else { return };
    let client = postgres.connect().await;
    client.batch_execute(r#"CREATE ROLE "Ser ving" LOGIN"#).await.unwrap();
    let url = postgres.url().replace("tw@", "Ser%20ving@");
    let serving = Settings::new(Address::parse(&url).unwrap());
    let refused = Replica::migrate(&serving, None).await.unwrap_err();
    assert!(matches!(refused, Unusable::Forbidden { current: 0, newest: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("toolwrit migrate"), "{refused}");

    assert_eq!(Replica::migrate(&postgres.settings(), Some("Ser ving")).await.unwrap(), 2);
    assert_eq!(Replica::migrate(&serving, None).await.unwrap(), 2);
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
