//! Cursors lead through all items of a list, whatever their size.

use serde_json::{Value, json};
use toolwrit_tests::client::{CallResult, Client, Era};
use toolwrit_tests::program::lab;

/// The laboratory with each operation as a tool.
fn serve() -> Client {
    Client::connect(lab(), &["serve", "--surface", "flat"], Era::Initialize)
}

/// More than any walk here takes.
const MOST_PAGES: usize = 100;

/// The numbers of the items on a page.
fn numbers(page: &Value) -> Vec<i64> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item.as_str().unwrap().trim().parse().unwrap()).collect()
}

/// The items of all pages, and how many pages there were.
fn walk(lab: &mut Client, mut arguments: Value) -> (Vec<i64>, usize) {
    let mut seen = Vec::new();
    for pages in 1..=MOST_PAGES {
        let page = lab.call("lab_records", &arguments);
        assert!(page.text().len() <= 4096, "{}", page.text().len());
        let page = page.ok();
        seen.extend(numbers(&page));
        let Some(cursor) = page.get("next_cursor") else { return (seen, pages) };
        arguments["cursor"] = cursor.clone();
    }
    panic!("the pages have no end: {seen:?}");
}

#[test]
fn a_page_that_is_cut_to_size_leaves_the_rest_to_the_next() {
    let mut lab = serve();
    for (count, bytes) in [(30, 400), (30, 4), (30, 3800), (1, 400), (0, 1), (20, 190), (21, 190)] {
        let (seen, pages) = walk(&mut lab, json!({"count": count, "bytes": bytes}));
        let all: Vec<i64> = (0..count).collect();
        assert_eq!(seen, all, "{count} items of {bytes} bytes on {pages} pages");
    }
    let page = lab.call("lab_records", &json!({"count": 30, "bytes": 400})).ok();
    assert_eq!(page["truncated"], true, "the page has fewer items than were asked for");
    assert_eq!(page["next_cursor"], numbers(&page).len().to_string());
}

#[test]
fn an_item_that_no_page_can_hold_is_named_and_can_be_passed() {
    let mut lab = serve();
    let mut ask = |cursor: &str| -> CallResult {
        let all = json!({"count": 5, "bytes": 10, "huge": 3, "cursor": cursor});
        lab.call("lab_records", &all)
    };
    let before = ask("0").ok();
    assert_eq!((numbers(&before), &before["next_cursor"]), (vec![0, 1, 2], &json!("3")));
    let refused = ask("3").error();
    assert_eq!(refused["code"], "RESULT_TOO_LARGE", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("number 4 of 5"), "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains(r#""cursor": "4""#), "{refused}");
    let behind = ask("4").ok();
    assert_eq!((numbers(&behind), behind.get("next_cursor")), (vec![4], None));
}

#[test]
fn a_cursor_that_no_page_has_given_is_refused() {
    let mut lab = serve();
    for cursor in ["zzz", "", "-1", "+1", "1.0", " 1", "0x1", "99999999999999999999999"] {
        let arguments = json!({"count": 7, "bytes": 1, "cursor": cursor});
        let refused = lab.call("lab_records", &arguments).error();
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{cursor}");
        assert_eq!(refused["path"], "/cursor", "{cursor}");
        assert_eq!(refused["operation"], "lab.records");
    }
    // A list may have grown shorter since.
    let behind = lab.call("lab_records", &json!({"count": 7, "bytes": 1, "cursor": "40"})).ok();
    assert_eq!((numbers(&behind), behind.get("next_cursor")), (vec![], None));
}

#[test]
fn a_limit_counts_however_its_number_is_written() {
    let mut lab = serve();
    for limit in ["5", "5.0", "5e0"] {
        let arguments = format!(r#"{{"count": 30, "bytes": 1, "limit": {limit}}}"#);
        let page = lab.call("lab_records", &serde_json::from_str(&arguments).unwrap()).ok();
        assert_eq!(numbers(&page).len(), 5, "{limit}");
        assert_eq!(page["next_cursor"], "5", "{limit}");
    }
}
