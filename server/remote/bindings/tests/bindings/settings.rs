//! What the operator says.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwrit_bindings::model::{Api, Base, Setting, SettingType};
use toolwrit_bindings::{Connection, Environment, Settings};

use crate::open::OPEN;
use crate::tables::*;
use crate::{object, options, secrets};

static API: Api = Api {
    name: text("my-api"),
    settings: list![
        setting("url"),
        Setting {
            ty: SettingType::Integer,
            optional: true,
            name: text("version"),
            ..Setting::TEXT
        },
        Setting { ty: SettingType::Boolean, optional: true, name: text("beta"), ..Setting::TEXT },
        own_secret("token"),
    ],
    base: Base::Setting(text("url")),
    ..Api::BARE
};

fn problems(given: &Value, environment: Environment) -> Vec<String> {
    let problems = Settings::parse(&API.name, &API.settings, object(given), environment)
        .err()
        .unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn all_problems_are_reported_and_no_secret_is_repeated() {
    let given = json!({
        "urll": "https://api.example", "version": "x", "beta": 1, "token": "hunter2",
        "accounts": { "anna": { "token": "hunter3", "url": "x", "none": 1 }, "ben": 7 },
    });
    let found = problems(&given, secrets());
    let source = "expected where the secret is: { env = NAME }, { file = PATH }, { keyring = \"SERVICE/USER\" } or { command = [PROGRAM, ..] }.";
    let names = "there is no such setting. The settings are url, version, beta, token.";
    let expected = [
        "providers.my-api.url: it is missing. Set it, or TOOLWRIT_MY_API_URL.".to_owned(),
        "providers.my-api.version: expected a whole number.".to_owned(),
        "providers.my-api.beta: expected true or false.".to_owned(),
        format!("providers.my-api.token: {source}"),
        "providers.my-api.urll: there is no such setting. Did you mean `url`?".to_owned(),
        format!("providers.my-api.accounts.anna.token: {source}"),
        "providers.my-api.accounts.anna.url: accounts do not have their own.".to_owned(),
        format!("providers.my-api.accounts.anna.none: {names}"),
        "providers.my-api.accounts.ben: expected a table.".to_owned(),
    ];
    let (found, expected) = (
        found.into_iter().collect::<std::collections::BTreeSet<_>>(),
        expected.into_iter().collect(),
    );
    assert_eq!(found, expected);
}

#[test]
fn variables_complete_and_override_the_configuration() {
    let variables = |url: &str, version: &str| {
        let variables = [("TOOLWRIT_MY_API_URL", url), ("TOOLWRIT_MY_API_VERSION", version)];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Environment::from_variables(BTreeMap::from(variables))
    };
    assert_eq!(problems(&json!({}), variables("https://api.example", "3")), Vec::<String>::new());
    assert_eq!(problems(&json!({}), variables("https://api.example", "three")).len(), 1);
    assert_eq!(
        problems(&json!({ "url": 5, "version": "three" }), variables("https://a.example", "3")),
        Vec::<String>::new()
    );
    assert_eq!(
        problems(&json!({ "version": 3 }), variables("https://a.example", "three")).len(),
        1
    );
}

#[test]
fn variables_of_a_server_beat_those_of_all() {
    let environment = |variables: &[(&str, &str)]| {
        let owned = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Environment::from_variables(owned.collect()).of_server("SHOP")
    };
    let missing = "providers.my-api.url: it is missing. Set it, or SHOP_MY_API_URL.";
    assert_eq!(problems(&json!({}), environment(&[])), [missing]);
    let (own, common) = ("SHOP_MY_API_URL", "TOOLWRIT_MY_API_URL");
    let (good, bad) = ("https://api.example", "not a url");
    for (variables, found) in
        [(vec![(common, good)], common), (vec![(common, bad), (own, good)], own)]
    {
        let setting = environment(&variables).setting("my-api", "url");
        assert_eq!(setting, (found.to_owned(), Some(good.to_owned())));
    }
}

#[test]
fn only_the_url_of_an_api_is_a_base() {
    for bad in [
        "",
        "api.example",
        "ftp://api.example",
        "https://",
        "file:///etc/passwd",
        "https://u:hunter2@api.example",
        "https://u@api.example",
        "https://api.example/?a=b",
        "https://api.example/#a",
        "javascript:alert(1)",
    ] {
        let settings =
            Settings::parse(&OPEN.name, &OPEN.settings, object(&json!({ "url": bad })), secrets())
                .unwrap();
        let failure = Connection::new(std::borrow::Cow::Borrowed(&OPEN), settings, &options());
        let failure = failure.err().unwrap_or_else(|| panic!("{bad}"));
        assert_eq!(failure.code.as_str(), "PROVIDER_UNAVAILABLE", "{bad}");
        assert!(!failure.message.contains("hunter2"), "{failure}");
        let hint = failure.hint.unwrap();
        assert!(hint.contains("sets `providers.open.url` with http:// or https://"), "{hint}");
    }
}
