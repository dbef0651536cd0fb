//! What APIs repeat of the credentials with which they are called.

use serde_json::json;
use toolwrit_bindings::model::{Api, Auth, Base, ErrorRules};
use toolwrit_test_servers::http::{HttpServer, json_response as answer};

use crate::open::READ;
use crate::tables::*;
use crate::{connect, value};

static KEYED: Api = Api {
    name: text("open"),
    base: Base::Setting(text("url")),
    settings: list![setting("url"), secret("key")],
    auth: list![Auth::HeaderKey { header: text("x-key"), key: text("key") }],
    errors: ErrorRules { message: Some(path(list![name("message")])), ..ErrorRules::NONE },
    ..Api::BARE
};

static BASIC: Api = Api {
    name: text("open"),
    base: Base::Setting(text("url")),
    settings: list![setting("url"), setting("user"), secret("key"),],
    auth: list![Auth::Basic { user: text("user"), password: text("key") }],
    ..Api::BARE
};

/// The secret is `s3cret-of-all`.
#[tokio::test]
async fn results_and_failures_do_not_repeat_a_key() {
    for status in [200, 400] {
        let server = HttpServer::answering(move |sent| {
            let key = sent.header("x-key").unwrap();
            answer(status, &json!({ "message": format!("key {key}"), key: [key, "s3cret"] }))
        });
        let settings = json!({ "url": server.url("/api"), "key": { "env": "SECRET" } });
        let outcome = value(&connect(&KEYED, &settings), &READ).await;
        if status == 200 {
            let masked = json!({ "message": "key ***", "***": ["***", "s3cret"] });
            assert_eq!(outcome, Ok(masked));
        } else {
            let failure = outcome.unwrap_err();
            assert_eq!(failure.message, "open answered with status 400: key ***.");
        }
    }
}

#[tokio::test]
async fn a_password_is_masked_in_base64_too() {
    let server = HttpServer::answering(|sent| {
        let header = sent.header("authorization").unwrap();
        answer(200, &json!([header, "anna:s3cret-of-all", "x=s3cret%2Dof%2Dall"]))
    });
    let settings = json!({ "url": server.url("/api"), "user": "anna", "key": { "env": "SECRET" } });
    let masked = value(&connect(&BASIC, &settings), &READ).await.unwrap();
    assert_eq!(masked, json!(["Basic ***", "anna:***", "x=***"]));
}
