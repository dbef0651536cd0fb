//! A client in the same process.

use std::sync::Arc;

use serde_json::json;
use toolwrit::{Server, SurfaceChoice, testing::Client};

use crate::{Harbour, Tools};

#[tokio::test]
async fn a_client_calls_tools_in_the_same_process() {
    let server = Server::builder::<Tools<Harbour>>(Harbour::default()).build().unwrap();
    let server = Arc::new(server);
    let mut client = Client::connect_to(&server).await;
    let tools = client.tools().await;
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["berth_moor", "berth_ships"]);
    let moored = client.call("berth_moor", json!({})).await;
    assert_eq!(moored["structuredContent"], json!({"number": 1, "ship": "local"}));
    // A second client of the same application.
    let mut other = Client::connect_to(&server).await;
    let ships = other.call("berth_ships", json!({})).await;
    assert_eq!(ships["structuredContent"], json!({"result": ["local"]}));
    client.close().await;
    other.close().await;
}

#[tokio::test]
async fn the_builder_sets_surface_and_policy() {
    let builder = Server::builder::<Tools<Harbour>>(Harbour::default());
    let server = builder.role("sailor").surface(SurfaceChoice::Meta).build().unwrap();
    let mut client = Client::connect(server).await;
    let refused = client.call("execute_write", json!({"tool": "berth.moor"})).await;
    assert_eq!(refused["isError"], true, "{refused}");
    let ships = client.call("execute_read", json!({"tool": "berth.ships"})).await;
    assert_eq!(ships["content"][0]["text"], "[]", "{ships}");
    let unknown = Server::builder::<Tools<Harbour>>(Harbour::default()).role("captain").build();
    assert!(unknown.err().unwrap().to_string().contains("captain"));
}
