//! Where a server is whose tools operations are bound to.

use std::collections::BTreeMap;

use serde_json::json;
use toolwrit_bindings::model::{
    Endpoint, List, Server, Setting, SettingOrText, Text, TextPart, Word,
};
use toolwrit_bindings::{BoundTools, Environment, Settings};

fn text(text: &str) -> Text {
    Text::Owned(text.to_owned())
}

/// Returns the location of a server with the setting `space`, and one that is secret.
fn location(endpoint: Endpoint, space: &str) -> String {
    let setting = |name: &str| Setting { name: text(name), ..Setting::TEXT };
    let table = Server {
        name: text("tests"),
        settings: List::Owned(vec![
            setting("space"),
            Setting { sensitive: true, ..setting("token") },
        ]),
        endpoint,
        lock: text("tests.lock"),
    };
    let given = json!({"space": space, "token": {"env": "SECRET"}});
    let variables = BTreeMap::from([("SECRET".to_owned(), "hunter2".to_owned())]);
    let (given, environment) =
        (given.as_object().unwrap().clone(), Environment::from_variables(variables));
    let settings = Settings::parse(&table.name, &table.settings, given, environment).unwrap();
    BoundTools::new(table, settings).location(None)
}

fn program(word: &str) -> Endpoint {
    let parts = List::Owned(vec![TextPart::Text(text(word))]);
    Endpoint::Command {
        program: text("server"),
        words: List::Owned(vec![Word::Text { optional: false, parts }]),
        folder: None,
        environment: List::Borrowed(&[]),
    }
}

fn remote(url: &str) -> Endpoint {
    Endpoint::Remote {
        url: SettingOrText::Text(text(url)),
        headers: List::Borrowed(&[]),
        bearer: Some(text("token")),
    }
}

/// Idempotency keys of one place are not those of another.
#[test]
fn the_location_says_the_address_and_the_settings_and_no_secret() {
    let (first, second) = ("https://first.example/mcp", "https://second.example/mcp");
    let locations = [
        location(program("/first"), "a"),
        location(program("/second"), "a"),
        location(remote(first), "a"),
        location(remote(second), "a"),
        location(remote(second), "b"),
    ];
    for (at, one) in locations.iter().enumerate() {
        assert!(!locations[..at].contains(one), "{one}");
        assert!(!one.contains("hunter2"), "{one}");
    }
    assert_eq!(location(remote(first), "a"), locations[2]);
}
