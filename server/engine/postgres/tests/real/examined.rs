//! What is found before a server starts.

use jiff::SignedDuration;
use toolwrit_postgres::{Address, Problem, Replica, Settings, examine};

use crate::pooler::Pooler;
use crate::postgres::Postgres;

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_fits_has_no_problems() {
    let Some(postgres) = Postgres::start() else { return };
    let settings = postgres.settings();
    let report = examine(&settings).await.unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.schema, None, "the first server creates it");
    assert_eq!(report.clock_offset, SignedDuration::ZERO);
    Replica::migrate(&settings, None).await.unwrap();
    let report = examine(&settings).await.unwrap();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.schema, Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_problem_says_what_mends_it() {
    let Some(postgres) = Postgres::start() else { return };
    let client = postgres.connect().await;
    for statement in [
        "CREATE ROLE serving LOGIN",
        "ALTER ROLE serving SET synchronous_commit = off",
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0",
    ] {
        client.batch_execute(statement).await.unwrap();
    }
    let found = async |change: &dyn Fn(&mut Settings)| -> Vec<(String, &'static str)> {
        let mut settings = postgres.settings();
        change(&mut settings);
        let problems = examine(&settings).await.unwrap().problems;
        problems.iter().map(|problem| (problem.to_string(), problem.fix())).collect()
    };
    let serving = |settings: &mut Settings| {
        settings.address = Address::parse(&postgres.url().replace("tw@", "serving@")).unwrap();
    };
    let latin = |settings: &mut Settings| {
        let url = postgres.url();
        let (server, _) = url.rsplit_once('/').unwrap();
        settings.address = Address::parse(&format!("{server}/latin")).unwrap();
    };
    let has = |found: &[(String, &str)], what: &str, fix: &str| {
        assert!(
            found.iter().any(|(is, mends)| is.contains(what) && mends.contains(fix)),
            "{found:#?}"
        );
    };
    let problems = found(&serving).await;
    has(&problems, "crash", "synchronous_commit");
    has(&problems, "may not create a schema", "migrate --grant");
    has(&found(&latin).await, "LATIN1", "UTF8");

    Replica::migrate(&postgres.settings(), None).await.unwrap();
    has(&found(&serving).await, "lacks USAGE on the schema", "migrate --grant");
    Replica::migrate(&postgres.settings(), Some("serving")).await.unwrap();
    assert_eq!(found(&serving).await.len(), 1, "only the durability is left");
    client.batch_execute("UPDATE toolwrit.version SET current = 9, oldest = 8").await.unwrap();
    has(&found(&|_| {}).await, "serves programs from version 8 on", "Update this program");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_in_the_way_of_notices_is_found() {
    let Some(postgres) = Postgres::start() else { return };
    let pooler = Pooler::before(&postgres);
    let mut settings = Settings::new(pooler.address());
    let report = examine(&settings).await.unwrap();
    let [deaf @ Problem::Deaf { .. }] = &report.problems[..] else {
        panic!("{:?}", report.problems)
    };
    assert!(deaf.fix().contains("`direct` in [state]"), "{deaf}");
    settings.direct = Some(Address::parse(&postgres.url()).unwrap());
    assert!(examine(&settings).await.unwrap().problems.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_database_is_an_error_without_a_password() {
    let port = crate::postgres::free_port();
    let url = format!("postgres://ada:s3cret@127.0.0.1:{port}/d?sslmode=disable");
    let failed = examine(&Settings::new(Address::parse(&url).unwrap())).await.unwrap_err();
    let text = format!("{failed} {failed:?}");
    assert!(text.contains("refused") && !text.contains("s3cret"), "{text}");
}
