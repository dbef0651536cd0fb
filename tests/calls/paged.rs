//! Pages from handlers, and the validity of their cursors.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::drivers::http::Home;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_shop"))
}

fn serve() -> Client {
    Client::connect(
        program(),
        &["serve", "--surface", "flat", "--session-calls", "-1"],
        Era::Initialize,
    )
}

/// The numbers of the orders on a page.
fn orders(page: &Value) -> Vec<u32> {
    let items = page["result"].as_array().unwrap().iter();
    items.map(|item| item.as_str().unwrap().trim().parse().unwrap()).collect()
}

/// The orders of all pages, with these limits in turn.
fn walk(shop: &mut Client, mut arguments: Value, limits: &[u32]) -> Vec<u32> {
    let mut seen = Vec::new();
    for limit in limits.iter().cycle().take(300) {
        arguments["limit"] = (*limit).into();
        let page = shop.call("stock_orders", &arguments).ok();
        let own = orders(&page);
        assert!(own.len() <= *limit as usize, "{page}");
        seen.extend(own);
        let Some(cursor) = page.get("next_cursor") else { return seen };
        arguments["cursor"] = cursor.clone();
    }
    panic!("the pages have no end: {seen:?}");
}

#[test]
fn pages_of_a_handler_return_every_item_once() {
    let mut shop = serve();
    // At 190 bytes some 20 items fit into an answer, at 1500 bytes two, so pages end within those of the
    // handler.
    for (count, bytes) in [(0, 1), (1, 1), (40, 1), (41, 1), (100, 190), (30, 1500)] {
        let all: Vec<u32> = (0..count).collect();
        for limits in [&[1][..], &[3], &[40], &[40, 1], &[1, 40, 7]] {
            let seen = walk(&mut shop, json!({"count": count, "bytes": bytes}), limits);
            assert_eq!(seen, all, "{count} orders of {bytes} bytes by {limits:?}");
        }
    }
}

#[test]
fn a_page_has_the_total_number_of_items() {
    let mut shop = serve();
    let all = json!({"count": 5, "limit": 2});
    let page = shop.call("stock_deliveries", &all);
    let tools = shop.tools();
    let tool = tools.iter().find(|tool| tool["name"] == "stock_deliveries").unwrap();
    let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
    assert_eq!(tool["outputSchema"]["properties"]["total"]["type"], "integer");
    let page = page.ok();
    assert!(schema.is_valid(&page), "{page}");
    assert_eq!((&page["deliveries"], &page["carrier"]), (&json!(["0", "1"]), &json!("mail")));
    assert_eq!(page["total"], 5);
    // `fields` affects neither the count nor the cursor.
    let few = json!({"count": 5, "limit": 2, "fields": ["carrier"], "cursor": page["next_cursor"]});
    let few = shop.call("stock_deliveries", &few).ok();
    assert_eq!((&few["carrier"], &few["total"]), (&json!("mail"), &json!(5)));
    let last = json!({"count": 5, "limit": 2, "cursor": few["next_cursor"]});
    let last = shop.call("stock_deliveries", &last).ok();
    assert_eq!(last, json!({"deliveries": ["4"], "carrier": "mail", "total": 5}));
    // A handler that does not count returns no total.
    assert_eq!(shop.call("stock_orders", &json!({"count": 5})).ok().get("total"), None);
}

#[test]
fn an_item_too_large_for_a_page_can_be_skipped() {
    let mut shop = serve();
    let arguments = json!({"count": 3, "bytes": 5000, "limit": 2});
    let refused = shop.call("stock_orders", &arguments).error();
    assert_eq!(refused["code"], "RESULT_TOO_LARGE", "{refused}");
    let hint = refused["hint"].as_str().unwrap();
    let (_, behind) = hint.split_once(r#""cursor": ""#).unwrap_or_else(|| panic!("{hint}"));
    let behind = behind.split('"').next().unwrap();
    let next = json!({"count": 3, "bytes": 5000, "limit": 2, "cursor": behind});
    let next = shop.call("stock_orders", &next).error();
    assert_ne!(next["hint"], refused["hint"], "it is the one behind: {next}");
}

#[test]
fn a_cursor_is_valid_only_for_its_own_call() {
    let mut shop = serve();
    let first = shop.call("stock_orders", &json!({"count": 9, "of": "ada"})).ok();
    let cursor = first["next_cursor"].as_str().unwrap();
    for (tool, arguments) in [
        ("stock_orders", json!({"count": 9, "of": "ben", "cursor": cursor})),
        ("stock_orders", json!({"count": 9, "cursor": cursor})),
        ("stock_orders", json!({"count": 8, "of": "ada", "cursor": cursor})),
        ("stock_deliveries", json!({"count": 9, "cursor": cursor})),
        ("stock_trays", json!({"cursor": cursor})),
        ("stock_orders", json!({"count": 9, "of": "ada", "cursor": "from 3"})),
    ] {
        let refused = shop.call(tool, &arguments).error();
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{tool} {arguments}");
        assert_eq!(refused["path"], "/cursor", "{tool} {arguments}");
    }
    // A default that is written out is the same argument, and the cursor is valid in another process.
    let same = json!({"count": 9, "of": "ada", "bytes": 1, "cursor": cursor});
    assert_eq!(orders(&shop.call("stock_orders", &same).ok()), [3, 4, 5]);
    let arguments =
        ["call", "stock.orders", "--count", "9", "--of", "ada", "--cursor", cursor, "--json"];
    let called = Home::new().command(program(), &arguments).output().unwrap();
    let page: Value = serde_json::from_slice(&called.stdout).unwrap();
    assert_eq!(orders(&page), [3, 4, 5]);
}

#[test]
fn a_confirmation_shows_the_items_of_a_page_without_the_handlers_cursor() {
    let arguments = ["serve", "--surface", "flat"];
    let mut shop = Client::connect_for(User::Absent, program(), &arguments, Era::Initialize);
    let asked = shop.call("stock_shred", &json!({"count": 5})).error();
    assert_eq!(asked["code"], "CONFIRMATION_REQUIRED", "{asked}");
    let message = asked["message"].as_str().unwrap();
    let (_, preview) =
        message.split_once("What it would do: ").unwrap_or_else(|| panic!("{message}"));
    let preview: Value = serde_json::from_str(preview).unwrap();
    assert_eq!(preview, json!({"result": ["0", "1", "2"], "total": 5}));
    let confirmed = json!({"count": 5, "confirm": asked["expected"]});
    let page = shop.call("stock_shred", &confirmed).ok();
    assert_eq!((&page["result"], &page["total"]), (&json!(["0", "1", "2"]), &json!(5)));
    assert!(page["next_cursor"].is_string(), "{page}");
}
