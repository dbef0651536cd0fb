//! A server that keeps its state.

use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwrit::{Server, testing::TestClient};

use crate::embedded::{Harbour, Tools};

/// Moors a ship with an idempotency key at a new server, and returns the result and the names of the ships there.
async fn moored(file: &Path) -> (Value, Vec<String>) {
    let harbour = Harbour::default();
    let ships: Arc<Mutex<Vec<String>>> = harbour.ships.clone();
    let server = Server::builder::<Tools<Harbour>>(harbour).state_file(file).build().unwrap();
    let server = Arc::new(server);
    let mut client = TestClient::connect_to(&server).await;
    let call = json!({
        "name": "berth_moor", "arguments": {}, "_meta": {"toolwrit/idempotencyKey": "first"},
    });
    let answer = client.request("tools/call", call).await;
    client.close().await;
    server.close().await;
    let ships = ships.lock().unwrap().clone();
    (answer["result"]["structuredContent"].clone(), ships)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_with_a_key_is_repeated_after_a_restart_and_is_in_the_audit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("harbour.sqlite3");
    let berth = json!({"number": 1, "ship": "local"});
    assert_eq!(moored(&file).await, (berth.clone(), vec!["local".to_owned()]));
    assert_eq!(moored(&file).await, (berth, Vec::new()), "the handler does not run again");
    let database = rusqlite::Connection::open(&file).unwrap();
    let count = "select count(*) from audit where operation = 'berth.moor' and outcome = 'ok'";
    let count: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 2);
}
