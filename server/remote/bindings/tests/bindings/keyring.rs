//! Secrets in the keyring of the system.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde_json::json;
use toolwrit_bindings::model::{Api, Auth, Base, List, Setting, Text};
use toolwrit_bindings::{Connection, ConnectionOptions, Environment, Settings};

static API: Api = Api {
    name: Text::Borrowed("shop"),
    settings: List::Borrowed(&[Setting {
        name: Text::Borrowed("token"),
        sensitive: true,
        ..Setting::TEXT
    }]),
    base: Base::Url(Text::Borrowed("https://shop.example")),
    auth: List::Borrowed(&[Auth::Bearer { token: Text::Borrowed("token") }]),
    ..Api::BARE
};

/// Without a probe, only the credentials are looked for.
async fn probed(entry: &str) -> Result<(), String> {
    let given = json!({ "token": { "keyring": entry } });
    let given = given.as_object().unwrap().clone();
    let settings = Settings::parse(&API.name, &API.settings, given, Environment::process());
    let connection =
        Connection::new(Cow::Borrowed(&API), settings.unwrap(), &ConnectionOptions::default());
    let deadline = Instant::now() + Duration::from_mins(1);
    connection.unwrap().probe(None, deadline).await.map_err(|failure| failure.message)
}

#[tokio::test]
async fn secrets_are_found_by_service_and_user() {
    // Opens the keyring of this system, if there is one, so that the next line replaces it.
    let _ = keyring::Entry::store_status();
    keyring_core::set_default_store(keyring_core::mock::Store::new().unwrap());
    let entry = keyring_core::Entry::new("https://shop.example", "anna").unwrap();
    entry.set_password("s3cret").unwrap();
    probed("https://shop.example/anna").await.unwrap();
    let missing = probed("https://shop.example/ben").await.unwrap_err();
    assert!(
        missing.starts_with(
            "The setting `token` of shop is missing: the entry https://shop.example/ben of the keyring cannot be read: "
        ),
        "{missing}"
    );
}
