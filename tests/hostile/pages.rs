//! Cursors lead through all items of a list, whatever their size.

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};
use toolwrit_tests::program::lab;

/// The laboratory on the flat surface.
fn serve() -> Client {
    Client::connect(lab(), &["serve", "--surface", "flat"], Era::Initialize)
}

/// More pages than any list here has.
const MOST_PAGES: usize = 100;

/// The numbers of the items on a page.
fn numbers(page: &Value) -> Vec<i64> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item.as_str().unwrap().trim().parse().unwrap()).collect()
}

/// The items of all pages, and the number of pages.
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
fn items_cut_from_a_page_are_on_the_next() {
    let mut lab = serve();
    for (count, bytes) in [(30, 400), (30, 4), (30, 3800), (1, 400), (0, 1), (20, 190), (21, 190)] {
        let (seen, pages) = walk(&mut lab, json!({"count": count, "bytes": bytes}));
        let all: Vec<i64> = (0..count).collect();
        assert_eq!(seen, all, "{count} items of {bytes} bytes on {pages} pages");
    }
    let page = lab.call("lab_records", &json!({"count": 30, "bytes": 400})).ok();
    assert_eq!(page["truncated"], true, "the page has fewer items than were asked for");
    assert!(page["next_cursor"].is_string(), "{page}");
}

#[test]
fn an_item_too_large_for_a_page_is_named_and_can_be_skipped() {
    let mut lab = serve();
    let mut ask = |cursor: Option<&str>| -> CallResult {
        let mut all = json!({"count": 5, "bytes": 10, "huge": 3});
        all.as_object_mut().unwrap().extend(cursor.map(|it| ("cursor".to_owned(), it.into())));
        lab.call("lab_records", &all)
    };
    let before = ask(None).ok();
    assert_eq!(numbers(&before), [0, 1, 2]);
    let refused = ask(before["next_cursor"].as_str()).error();
    assert_eq!(refused["code"], "RESULT_TOO_LARGE", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("item 4 of 5"), "{refused}");
    let hint = refused["hint"].as_str().unwrap();
    let (_, behind) = hint.split_once(r#""cursor": ""#).unwrap_or_else(|| panic!("{hint}"));
    let behind = ask(behind.split('"').next()).ok();
    assert_eq!((numbers(&behind), behind.get("next_cursor")), (vec![4], None));
}

#[test]
fn a_forged_cursor_is_refused() {
    let mut lab = serve();
    let given = lab.call("lab_records", &json!({"count": 7, "bytes": 1, "limit": 2})).ok();
    let given = given["next_cursor"].as_str().unwrap();
    let altered =
        [&given[1..], &given[..given.len() - 1], &format!("{given}="), &format!(" {given}")];
    for cursor in ["zzz", "", "1", "-1", "99999999999999999999999"].into_iter().chain(altered) {
        let arguments = json!({"count": 7, "bytes": 1, "cursor": cursor});
        let refused = lab.call("lab_records", &arguments).error();
        assert_eq!(refused["code"], "VALIDATION_ERROR", "{cursor}");
        assert_eq!(refused["path"], "/cursor", "{cursor}");
        assert_eq!(refused["operation"], "lab.records");
    }
    let behind = lab.call("lab_records", &json!({"count": 7, "bytes": 1, "cursor": given})).ok();
    assert_eq!(numbers(&behind), [2, 3, 4, 5, 6]);
}

#[test]
fn a_limit_applies_in_every_number_notation() {
    let mut lab = serve();
    for limit in ["5", "5.0", "5e0"] {
        let arguments = format!(r#"{{"count": 30, "bytes": 1, "limit": {limit}}}"#);
        let page = lab.call("lab_records", &serde_json::from_str(&arguments).unwrap()).ok();
        assert_eq!(numbers(&page).len(), 5, "{limit}");
        assert!(page["next_cursor"].is_string(), "{limit}");
    }
}
