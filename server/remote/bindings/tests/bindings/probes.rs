//! Whether the settings are right.

use std::time::{Duration, Instant};

use serde_json::json;
use toolwrit_bindings::model::Code;
use toolwrit_test_servers::http::{HttpServer, json_response as answer, wait_for_end};

use crate::blog::{BLOG, settings, site};
use crate::tickets::TICKETS;
use crate::{connect, tickets};

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

#[tokio::test]
async fn a_probe_asks_who_the_user_is() {
    let server = site();
    assert_eq!(connect(&BLOG, &settings(&server)).probe(None, soon()).await, Ok(()));
    assert_eq!(server.only_request().line(), "GET /api/wp/v2/users/me");
}

#[tokio::test]
async fn an_answer_for_another_user_is_a_failure() {
    for body in [json!({ "slug": "anonymous" }), json!({}), json!([])] {
        let server = HttpServer::answering(move |_| answer(200, &body));
        let failure = connect(&BLOG, &settings(&server)).probe(None, soon()).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable);
        assert_eq!(failure.expected.as_deref(), Some("anna"));
        assert!(failure.hint.unwrap().contains("`user` and `password`"));
    }
}

#[tokio::test]
async fn a_refused_password_is_a_failure() {
    let server = site();
    let mut settings = settings(&server);
    settings["password"] = json!({ "env": "SECRET_OF_BEN" });
    let failure = connect(&BLOG, &settings).probe(None, soon()).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
}

#[tokio::test]
async fn a_probe_ends_at_its_deadline() {
    let server = HttpServer::scripted(|_, stream| {
        wait_for_end(stream);
    });
    let deadline = Instant::now() + Duration::from_millis(200);
    let failure = connect(&BLOG, &settings(&server)).probe(None, deadline).await.unwrap_err();
    assert_eq!(failure.code, Code::Timeout);
}

#[tokio::test]
async fn without_a_probe_the_credentials_must_exist() {
    let server = HttpServer::answering(|_| answer(200, &json!({})));
    let jira = connect(&TICKETS, &tickets::settings(&server));
    assert_eq!(jira.probe(None, soon()).await, Ok(()));
    let failure = jira.probe(Some("carl"), soon()).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert_eq!(server.lines(), Vec::<String>::new());
}
