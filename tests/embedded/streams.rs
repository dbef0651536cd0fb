//! A client in the same process.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Notify;
use toolwrit::{Builder, Server, Split, SurfaceChoice, testing::TestClient};

use crate::embedded::{Harbour, Tools};

#[tokio::test]
async fn a_client_calls_tools_in_the_same_process() {
    let server = Server::builder::<Tools<Harbour>>(Harbour::default()).build().unwrap();
    let server = Arc::new(server);
    let mut client = TestClient::connect_to(&server).await;
    let tools = client.tools().await;
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["berth_moor", "berth_ships"]);
    let moored = client.call("berth_moor", json!({})).await;
    assert_eq!(moored["structuredContent"], json!({"number": 1, "ship": "local"}));
    // A second client of the same application.
    let mut other = TestClient::connect_to(&server).await;
    let ships = other.call("berth_ships", json!({})).await;
    assert_eq!(ships["structuredContent"], json!({"result": ["local"]}));
    client.close().await;
    other.close().await;
}

#[tokio::test]
async fn an_application_reports_changes_from_outside_a_call() {
    let tide = Arc::new(Notify::new());
    let server = Server::open::<Tools<Harbour>>(tide.clone()).await.unwrap().build().unwrap();
    let mut client = TestClient::connect(server).await;
    let subscribed = client.request("resources/subscribe", json!({"uri": "harbour://tide"})).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    tide.notify_one();
    let update = client.notification().await;
    assert_eq!(update["method"], "notifications/resources/updated");
    assert_eq!(update["params"]["uri"], "harbour://tide");
}

#[tokio::test]
async fn a_cursor_behind_the_end_of_a_shorter_list_gives_an_empty_page() {
    let harbour = Harbour::default();
    let ships = harbour.ships.clone();
    *ships.lock().unwrap() = ["pequod", "rachel", "bachelor"].map(str::to_owned).into();
    let server = Server::builder::<Tools<Harbour>>(harbour).build().unwrap();
    let mut client = TestClient::connect(server).await;
    let first = client.call("berth_ships", json!({"limit": 2})).await;
    let cursor = &first["structuredContent"]["next_cursor"];
    assert!(cursor.is_string(), "{first}");
    ships.lock().unwrap().truncate(1);
    let next = client.call("berth_ships", json!({"limit": 2, "cursor": cursor})).await;
    assert_eq!(next["structuredContent"], json!({"result": []}), "{next}");
}

#[tokio::test]
async fn the_builder_sets_surface_and_policy() {
    let builder = Server::builder::<Tools<Harbour>>(Harbour::default());
    let server = builder.role("sailor").surface(SurfaceChoice::Meta).build().unwrap();
    let mut client = TestClient::connect(server).await;
    let refused = client.call("execute_write", json!({"tool": "berth.moor"})).await;
    assert_eq!(refused["isError"], true, "{refused}");
    let ships = client.call("execute_read", json!({"tool": "berth.ships"})).await;
    assert_eq!(ships["content"][0]["text"], r#"{"result":[]}"#, "{ships}");
    let unknown = Server::builder::<Tools<Harbour>>(Harbour::default()).role("captain").build();
    assert!(unknown.err().unwrap().to_string().contains("captain"));
}

#[tokio::test]
async fn the_builder_sets_what_a_surface_lists() {
    let listed = async |surface, options: fn(Builder) -> Builder| {
        let builder = Server::builder::<Tools<Harbour>>(Harbour::default()).surface(surface);
        let mut client = TestClient::connect(options(builder).build().unwrap()).await;
        let tools = client.tools().await;
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let flat = listed(SurfaceChoice::Flat, Builder::legacy).await;
    assert_eq!(flat, ["berth_moor", "berth_ships", "tie_up"]);
    let split = listed(SurfaceChoice::Meta, |builder| builder.split(Split::Effect)).await;
    let whole = listed(SurfaceChoice::Meta, |builder| builder.split(Split::None)).await;
    assert!(split.contains(&"execute_read".to_owned()), "{split:?}");
    assert!(whole.contains(&"execute".to_owned()), "{whole:?}");
}
