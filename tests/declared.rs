//! Declared errors, limits and caches of an author's handlers, as their callers see them.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use toolwrit::Code;
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::Home;

fn served(arguments: &[&str]) -> Client {
    let arguments = [&["serve", "--surface", "flat"], arguments].concat();
    Client::connect(Path::new(env!("CARGO_BIN_EXE_shop")), &arguments, Era::Initialize)
}

fn shop(arguments: &[&str]) -> Output {
    Home::new().command(Path::new(env!("CARGO_BIN_EXE_shop")), arguments).output().unwrap()
}

#[test]
fn a_librarys_error_is_logged_and_the_caller_gets_its_id() {
    let done = shop(&["call", "prints.parse", "--text", "many", "--json"]);
    let (answer, log) = (done.stdout, String::from_utf8(done.stderr).unwrap());
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let error = &answer["error"];
    assert_eq!(error["code"], "INTERNAL", "{error}");
    let message = error["message"].as_str().unwrap();
    let id = message.strip_suffix('.').and_then(|text| text.rsplit(' ').next()).unwrap();
    assert!(log.contains(id) && log.contains("invalid digit found in string"), "{log}");
    assert!(!answer.to_string().contains("invalid digit"), "{answer}");
    assert_eq!(
        json!(shop(&["call", "prints.parse", "--text", "3"]).stdout.trim_ascii()),
        json!(b"3")
    );
}

#[test]
fn a_declared_error_has_its_code_hint_and_retryability() {
    let mut shop = served(&[]);
    let error = shop.call("prints_print", &json!({"copies": 1, "empty": "ink"})).error();
    assert_eq!(
        error,
        json!({"code": "OUT_OF_INK", "message": "There is no black ink.", "operation": "prints.print",
            "hint": "Have it refilled.", "retryable": true})
    );
    let error = shop.call("prints_print", &json!({"copies": 1, "empty": "paper"})).error();
    assert_eq!(
        error,
        json!({"code": "NO_PAPER", "message": "Tray 2 is empty.", "operation": "prints.print",
            "path": "/of", "details": {"tray": 2}, "retryable": false})
    );
}

#[test]
fn describe_lists_the_errors_of_an_operation() {
    let described = shop(&["describe", "prints.print", "--json"]).stdout;
    let described: Value = serde_json::from_slice(&described).unwrap();
    assert_eq!(
        described["tools"][0]["errors"],
        json!([{"code": "OUT_OF_INK", "summary": "The printer has no ink.",
            "hint": "Have it refilled.", "retryable": true}])
    );
    let shown = String::from_utf8(shop(&["describe", "prints.print"]).stdout).unwrap();
    assert!(shown.contains("OUT_OF_INK") && !shown.contains("NO_PAPER"), "{shown}");
}

/// The manifest crate refuses exactly the engine's codes.
#[test]
fn a_declared_error_cannot_use_an_engine_code() {
    let read = |name: &str| serde_json::from_value::<Code>(name.into()).unwrap();
    for name in Code::built_in_names() {
        assert!(!matches!(read(name), Code::Declared(_)), "{name}");
        assert_eq!(read(name).to_string(), name);
    }
    assert!(matches!(read("OUT_OF_INK"), Code::Declared(code) if code.as_str() == "OUT_OF_INK"));
    assert_eq!(read("OUT_OF_INK"), read("OUT_OF_INK"));
}

#[test]
fn integers_keep_to_their_format() {
    let mut shop = served(&[]);
    let mut print = |of: Value, shift: Value| {
        shop.call("prints_print", &json!({"copies": 7, "of": of, "shift": shift}))
    };
    // Beyond i64, and beyond the precision of a float.
    let largest = print(json!(u64::MAX - 1), json!(i32::MIN)).ok();
    assert_eq!(largest, json!({"copies": 7, "of": u64::MAX - 1, "shift": i32::MIN}));
    assert_eq!(print(json!(3.0), json!(0)).ok()["of"], 3);
    for (of, shift, path) in [
        (json!(-1), json!(0), "/of"),
        (json!(18_446_744_073_709_551_616.0), json!(0), "/of"),
        (json!(1.5), json!(0), "/of"),
        (json!(1), json!(i64::from(i32::MAX) + 1), "/shift"),
    ] {
        let error = print(of, shift).error();
        assert_eq!((&error["code"], &error["path"]), (&json!("VALIDATION_ERROR"), &json!(path)));
    }
    let default = shop.call("prints_print", &json!({"copies": 1})).ok();
    assert_eq!(default["of"], u64::MAX);
    let tools = shop.tools();
    let print = tools.iter().find(|tool| tool["name"] == "prints_print").unwrap();
    let properties = &print["inputSchema"]["properties"];
    assert_eq!(properties["shift"]["maximum"], i32::MAX);
    assert_eq!((&properties["of"]["minimum"], properties["of"].get("maximum")), (&json!(0), None));
}

#[test]
fn a_write_clears_cached_answers_of_the_categories_it_invalidates() {
    let mut shop = served(&[]);
    let mut look = |between: Option<(&str, Value)>| {
        if let Some((tool, arguments)) = between {
            shop.call(tool, &arguments);
        }
        let count = shop.call("stock_count", &json!({})).ok()["result"].take();
        (count, shop.call("stock_prices", &json!({})).ok()["result"].take())
    };
    assert_eq!(look(None), (json!(0), json!(0)));
    assert_eq!(look(None), (json!(0), json!(0)));
    assert_eq!(look(Some(("prints_cancel", json!({})))), (json!(0), json!(0)));
    assert_eq!(look(Some(("prints_print", json!({"copies": 1})))), (json!(1), json!(1)));
    // For every outcome, because a handler may fail halfway.
    let failed = json!({"copies": 1, "empty": "ink"});
    assert_eq!(look(Some(("prints_print", failed))), (json!(2), json!(2)));
}

#[test]
fn only_shared_cached_answers_serve_other_accounts() {
    let shop = Path::new(env!("CARGO_BIN_EXE_shop"));
    let home = Home::new();
    let tokens = [home.token(shop, "owner"), home.token(shop, "owner")];
    let server = home.serve(shop, &["--surface", "flat"]);
    let call = |token: &str, tool: &str| {
        server.client("").bearing(token).call(tool, &json!({})).ok()["result"].take()
    };
    for tool in ["stock_count", "stock_prices"] {
        assert_eq!(call(&tokens[0], tool), 0);
        assert_eq!(call(&tokens[0], tool), 0);
    }
    assert_eq!(call(&tokens[1], "stock_count"), 1);
    assert_eq!(call(&tokens[1], "stock_prices"), 0);
}

#[test]
fn select_reaches_the_fields_of_listed_items() {
    let mut shop = served(&[]);
    let mut select = |tool: &str, fields: Value| shop.call(tool, &json!({"fields": fields})).ok();
    let page = select("stock_trays", json!(["trays.paper"]));
    assert_eq!(page["trays"], json!([{"paper": "A3"}, {"paper": "A4"}]));
    assert_eq!(page.as_object().unwrap().keys().collect::<Vec<_>>(), ["trays", "next_cursor"]);
    assert_eq!(
        select("stock_trays", json!(["printer", "trays.sheets", "trays"]))["trays"][0],
        json!({"paper": "A3", "sheets": 3}),
        "the whole list was asked for"
    );
    assert_eq!(select("stock_trays", json!(["printer"]))["printer"], "left");
    assert_eq!(
        select("stock_printers", json!(["trays.sheets"])),
        json!({"result": [{"trays": [{"sheets": 3}, {"sheets": 4}, {"sheets": 5}]}]})
    );
    let unknown = shop.call("stock_trays", &json!({"fields": ["trays.papr"]})).error();
    assert_eq!(unknown["did_you_mean"][0], "trays.paper");
    // Clients validate results against the schema.
    let tools = shop.tools();
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        jsonschema::validator_for(&tool["outputSchema"]).unwrap()
    };
    for (tool, field) in [("stock_trays", "trays.paper"), ("stock_printers", "trays.sheets")] {
        let answer = shop.call(tool, &json!({"fields": [field]})).ok();
        assert!(schema(tool).is_valid(&answer), "{answer}");
    }
}
