//! Accounts use their own credentials, and see nothing of each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolwrit_bindings::model::Code;
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer};

use crate::tickets::{SEARCH, TICKETS, settings};
use crate::{Calling, connect};

/// The user in the header of HTTP Basic.
fn user(sent: &ReceivedRequest) -> &'static str {
    match sent.header("authorization") {
        Some("Basic YW5uYTpzM2NyZXQtb2YtYW5uYQ==") => "anna",
        Some("Basic YmVuOnMzY3JldC1vZi1iZW4=") => "ben",
        Some("Basic YWxsOnMzY3JldC1vZi1hbGw=") => "all",
        other => panic!("{other:?}"),
    }
}

/// Answers with the name of the user.
fn server() -> HttpServer {
    HttpServer::answering(|sent| {
        let user = user(sent);
        let issue = json!({ "key": user, "fields": { "summary": sent.target } });
        answer(200, &json!({ "issues": [issue], "nextPageToken": format!("of-{user}") }))
    })
}

fn of_two(server: &HttpServer) -> Value {
    let mut settings = settings(server);
    settings["accounts"] = json!({
        "anna": { "user": "anna", "token": { "env": "SECRET_OF_ANNA" } },
        "ben": { "user": "ben", "token": { "env": "SECRET_OF_BEN" } },
    });
    settings
}

fn search(account: Option<&'static str>) -> Calling {
    Calling { account, limit: Some(1), ..Calling::new(json!({ "jql": "a" })) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_in_parallel_do_not_cross() {
    let server = server();
    let jira = Arc::new(connect(&TICKETS, &of_two(&server)));
    assert!(jira.is_per_account());
    let callers = [None, Some("anna"), Some("ben")].into_iter().cycle().take(300);
    let mut calls = JoinSet::new();
    for account in callers {
        let jira = Arc::clone(&jira);
        calls.spawn(async move {
            let answer = search(account).run(&jira, &SEARCH).await.unwrap();
            assert_eq!(answer.value[0]["key"], account.unwrap_or("all"));
            answer.next.unwrap()
        });
    }
    let cursors: BTreeSet<String> = calls.join_all().await.into_iter().collect();
    assert_eq!(cursors.len(), 3, "a cursor belongs to an account");
}

#[tokio::test]
async fn an_account_without_credentials_gets_no_others() {
    let server = server();
    let jira = connect(&TICKETS, &of_two(&server));
    for stranger in ["carl", "", "ANNA", "accounts"] {
        let failure = search(Some(stranger)).run(&jira, &SEARCH).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable, "{stranger}");
        assert!(failure.message.contains("this account has none of its own"), "{failure}");
        assert!(!failure.sent);
    }
    assert_eq!(server.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_cursor_of_another_account_is_refused() {
    let server = server();
    let jira = connect(&TICKETS, &of_two(&server));
    let first = search(Some("anna")).run(&jira, &SEARCH).await.unwrap();
    let cursor = first.next;
    for other in [None, Some("ben")] {
        let stolen = Calling { cursor: cursor.clone(), ..search(other) };
        let failure = stolen.run(&jira, &SEARCH).await.unwrap_err();
        assert_eq!(
            (failure.code, failure.path.as_deref()),
            (Code::ValidationError, Some("/cursor"))
        );
    }
    assert_eq!(server.lines().len(), 1);
    let next_page = Calling { cursor, ..search(Some("anna")) };
    let failure = next_page.run(&jira, &SEARCH).await.unwrap_err();
    assert_eq!(failure.code, Code::UpstreamError, "this API never ends");
    assert!(server.lines()[1].ends_with("nextPageToken=of-anna"));
}
