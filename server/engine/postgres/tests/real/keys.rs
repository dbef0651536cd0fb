//! The keys that seal what clients carry, and secrets that are sealed with themselves.

use std::fs;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use toolwrit_core::audit::storage::State;
use toolwrit_core::shared::{Kept, Purpose, SealKey};
use toolwrit_postgres::{KeyFile, Replica, Settings};

use crate::postgres::Postgres;
use crate::shared::Replicas;

fn sealing(state: &State) -> SealKey {
    state.shared().keys(Purpose::RequestState).unwrap().sealing
}

fn opening(state: &State) -> Vec<SealKey> {
    state.shared().keys(Purpose::RequestState).unwrap().opening
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_have_the_same_keys_and_renew_them() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 3).await;
    let first = sealing(&replicas.states()[0]);
    for state in replicas.states() {
        assert_eq!(sealing(&state), first);
        let cursor = state.shared().keys(Purpose::Cursor).unwrap().sealing;
        assert_ne!(cursor.secret, first.secret, "a key for each purpose");
    }
    let client = postgres.connect().await;
    client
        .batch_execute("UPDATE toolwrit.keys SET seals_from = seals_from - interval '31 days'")
        .await
        .unwrap();
    let fourth = Replicas::start(&postgres.settings(), 1).await;
    drop(replicas);
    let state = fourth.states().remove(0);
    while opening(&state).is_empty() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(sealing(&state), first, "the new key does not seal yet");
    client
        .batch_execute("UPDATE toolwrit.keys SET seals_from = clock_timestamp() WHERE number = 2")
        .await
        .unwrap();
    while sealing(&state) == first {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(opening(&state), [first]);
}

/// A line of a file of keys: a key that seals so long after now, whose bytes are all the same.
fn line(seconds: i64, byte: u8) -> String {
    use base64::Engine as _;
    let seals_from = Timestamp::now() + SignedDuration::from_secs(seconds);
    let secret = base64::engine::general_purpose::STANDARD.encode([byte; 32]);
    format!("{seals_from:.0} {secret}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_file_are_never_in_the_database() {
    let Some(postgres) = Postgres::start() else { return };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys");
    let (first, second, third) = (line(-7200, 1), line(-3600, 2), line(3600, 3));
    fs::write(&path, format!("# Keys of the replicas.\n\n{first}")).unwrap();
    let keys = Some(KeyFile::open(&path).unwrap());
    let replicas = Replicas::start(&Settings { keys, ..postgres.settings() }, 2).await;
    let states = replicas.states();
    let old = sealing(&states[0]);
    assert_eq!(sealing(&states[1]), old);
    let cursor = states[0].shared().keys(Purpose::Cursor).unwrap().sealing;
    assert_ne!(cursor.secret, old.secret, "a key for each purpose");
    // The newest whose time has come seals; the others open.
    fs::write(&path, [&*third, &first, &second].concat()).unwrap();
    for state in &states {
        while opening(state).len() < 2 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(opening(state).contains(&old));
        assert_ne!(sealing(state), old);
    }
    assert_eq!(sealing(&states[0]), sealing(&states[1]));
    let client = postgres.connect().await;
    let rows = client.query("SELECT FROM toolwrit.keys", &[]).await.unwrap();
    assert!(rows.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_whose_file_of_keys_has_become_wrong_is_ready_when_it_is_mended() {
    let Some(postgres) = Postgres::start() else { return };
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys");
    fs::write(&path, line(0, 1)).unwrap();
    let keys = Some(KeyFile::open(&path).unwrap());
    fs::write(&path, "nonsense").unwrap();
    let replica = Replica::open(Settings { keys, ..postgres.settings() });
    let state = replica.state();
    while !state.unready().unwrap().contains("no keys") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    fs::write(&path, line(0, 1)).unwrap();
    while state.unready().is_some() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[test]
fn a_wrong_file_of_keys_is_refused_with_the_place_and_without_the_secret() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("keys");
    let right = line(0, 1);
    for (text, says) in [
        ("", "expected a line"),
        ("# only a comment\n", "expected a line"),
        (&*format!("{right}{right}"), "keys:2:1: expected another time"),
        (&*format!("{right}{}", right.replace("Z ", ".5Z ")), "keys:2:1: expected another time"),
        ("tomorrow c2VjcmV0\n", "keys:1:1: expected a time"),
        ("2026-11-29T12:00:00Z\n", "keys:1:21: expected the 32 bytes"),
        ("2026-11-29T12:00:00Z c2VjcmV0\n", "keys:1:22: expected the 32 bytes"),
        (&*format!("\n{}", right.replace('=', "!")), "keys:2:22: expected the 32 bytes"),
    ] {
        fs::write(&path, text).unwrap();
        let error = KeyFile::open(&path).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
        assert!(!error.contains("c2VjcmV0"), "{error}");
    }
    let error = KeyFile::open(&folder.path().join("none")).unwrap_err().to_string();
    assert!(error.contains("none: No such file"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_kept_for_those_who_know_them() {
    let Some(postgres) = Postgres::start() else { return };
    let replicas = Replicas::start(&postgres.settings(), 2).await;
    let states = replicas.states();
    let [a, b] = [states[0].shared(), states[1].shared()];
    let day = Duration::from_hours(24);
    a.keep(Kept::Page, "cookie", "token \u{1f511}".to_owned(), day).await.unwrap();
    a.add(Kept::PagesOfToken, "token", "cookie".to_owned(), day).await.unwrap();
    b.add(Kept::PagesOfToken, "token", "cookie".to_owned(), day).await.unwrap();
    let client = postgres.connect().await;
    let rows = client.query("SELECT id || ' ' || text FROM toolwrit.kept", &[]).await.unwrap();
    let rows: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| !row.contains("cookie") && !row.contains("token")), "{rows:?}");
    assert_ne!(rows[1], rows[2], "the same text is never sealed in the same way");
    assert_eq!(b.kept(Kept::Page, "cookie").await, Ok(Some("token \u{1f511}".to_owned())));
    assert_eq!(b.kept(Kept::Page, "another").await, Ok(None));
    assert_eq!(b.collect(Kept::PagesOfToken, "token").await, Ok(vec!["cookie".to_owned(); 2]));
    client.batch_execute("UPDATE toolwrit.kept SET text = 'AAAA' || text").await.unwrap();
    assert_eq!(a.kept(Kept::Page, "cookie").await, Ok(None), "it was changed");
}
