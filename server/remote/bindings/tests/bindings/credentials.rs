//! How requests prove who sends them.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use toolwrit_bindings::model::{
    Api, Auth, Base, Code, ErrorRules, ExchangeBody, ExchangeField, List, Operation, Path, Request,
    Setting, SettingOrText, SettingType, TokenExchange,
};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response as answer, response};

use crate::open::{ADD, READ};
use crate::pages::BY_LINK;
use crate::tables::*;
use crate::{Calling, call, connect, connect_to, options, value};

const SETTINGS: &[Setting] =
    &[setting("url"), setting("tokens"), own_setting("id"), own_secret("key")];

const fn with(auth: List<Auth>) -> Api {
    Api {
        name: text("closed"),
        settings: List::Borrowed(SETTINGS),
        base: Base::Setting(text("url")),
        auth,
        errors: ErrorRules { message: Some(path(list![name("message")])), ..ErrorRules::NONE },
        ..Api::BARE
    }
}

static BASIC: Api = with(list![Auth::Basic { user: text("id"), password: text("key") }]);
static BEARER: Api = with(list![Auth::Bearer { token: text("key") }]);
static HEADER: Api = with(list![Auth::HeaderKey { header: text("X-Api-Key"), key: text("key") }]);
static QUERY: Api = with(list![Auth::QueryKey { parameter: text("api_key"), key: text("key") }]);
static ISSUED: Api = with(list![Auth::ClientCredentials {
    token_url: Base::Setting(text("tokens")),
    client_id: text("id"),
    client_secret: text("key"),
    scope: Some(text("read write")),
    audience: None,
}]);
static TWO_KEYS: Api = with(list![
    Auth::HeaderKey { header: text("DD-API-KEY"), key: text("key") },
    Auth::HeaderKey { header: text("DD-APPLICATION-KEY"), key: text("id") },
    Auth::QueryKey { parameter: text("api_key"), key: text("key") },
]);

fn settings(server: &HttpServer) -> Value {
    let tokens = format!("http://{}/token", server.address());
    json!({ "url": server.url("/api"), "tokens": tokens, "id": "i:d", "key": { "env": "SECRET" } })
}

#[tokio::test]
async fn each_scheme_sends_its_credential() {
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    for api in [&BASIC, &BEARER, &HEADER, &QUERY] {
        value(&connect(api, &settings(&server)), &READ).await.unwrap();
    }
    let [basic, bearer, header, query] = server.requests().try_into().unwrap();
    assert_eq!(basic.header("authorization"), Some("Basic aTpkOnMzY3JldC1vZi1hbGw="));
    assert_eq!(bearer.header("authorization"), Some("Bearer s3cret-of-all"));
    assert_eq!(header.header("x-api-key"), Some("s3cret-of-all"));
    assert_eq!(header.header("authorization"), None);
    assert_eq!(query.target, "/api/items?api_key=s3cret-of-all");
}

#[tokio::test]
async fn several_credentials_are_sent_at_once() {
    let server = HttpServer::answering(|_| answer(401, &json!({ "message": "No s3cret-of-all." })));
    let failure = value(&connect(&TWO_KEYS, &settings(&server)), &READ).await.unwrap_err();
    let hint = "The operator of this server checks the settings `key` and `id`.";
    assert_eq!(failure.hint.as_deref(), Some(hint));
    assert!(!failure.message.contains("s3cret"), "{failure}");
    let sent = server.only_request();
    assert_eq!(sent.header("dd-api-key"), Some("s3cret-of-all"));
    assert_eq!(sent.header("dd-application-key"), Some("i:d"));
    assert_eq!(sent.target, "/api/items?api_key=s3cret-of-all");
}

#[tokio::test]
async fn numbers_are_sent_as_text() {
    static NUMBERED: Api = Api {
        name: text("closed"),
        settings: list![
            setting("url"),
            Setting { name: text("id"), ty: SettingType::Integer, ..Setting::TEXT },
            secret("key")
        ],
        base: Base::Setting(text("url")),
        auth: list![Auth::Basic { user: text("id"), password: text("key") }],
        ..Api::BARE
    };
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let settings = json!({ "url": server.url("/api"), "id": 1234, "key": { "env": "SECRET" } });
    value(&connect(&NUMBERED, &settings), &READ).await.unwrap();
    let sent = server.requests().pop().unwrap();
    assert_eq!(sent.header("authorization"), Some("Basic MTIzNDpzM2NyZXQtb2YtYWxs"));
}

#[tokio::test]
async fn a_key_in_the_query_is_sent_once_if_links_repeat_it() {
    let server = HttpServer::answering(|sent| {
        let link = format!("<{}&after=1>; rel=next", sent.target);
        response(200, &[("link", &link)], br#"{ "items": [0] }"#)
    });
    let connection = connect(&QUERY, &settings(&server));
    let mut calling = Calling { limit: Some(1), ..Calling::new(json!({})) };
    calling.cursor = calling.run(&connection, &BY_LINK).await.unwrap().next;
    calling.run(&connection, &BY_LINK).await.unwrap();
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!(first.target, "/api/items?size=1&api_key=s3cret-of-all");
    assert_eq!(second.target, "/api/items?size=1&after=1&api_key=s3cret-of-all");
}

#[tokio::test]
async fn failures_contain_no_secret() {
    let echo = |sent: &ReceivedRequest| {
        let seen = format!("{:?} {}", sent.headers, sent.target);
        answer(400, &json!({ "message": seen }))
    };
    let server = HttpServer::answering(echo);
    for api in [&BASIC, &BEARER, &HEADER, &QUERY] {
        let failure = value(&connect(api, &settings(&server)), &READ).await.unwrap_err();
        let shown = format!("{failure:?} {failure}");
        assert!(shown.contains("***") && !shown.contains("s3cret"), "{shown}");
        assert!(!shown.contains("aTpkOnMzY3JldC1vZi1hbGw"), "{shown}");
    }
    let broken = HttpServer::scripted(|_, _| {});
    let failure = value(&connect(&QUERY, &settings(&broken)), &READ).await.unwrap_err();
    assert!(!format!("{failure:?}").contains("s3cret"), "{failure:?}");
}

#[tokio::test]
async fn refused_credentials_name_the_settings() {
    let server = HttpServer::answering(|_| answer(401, &json!({})));
    let failure = value(&connect(&BASIC, &settings(&server)), &ADD).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert!(failure.hint.unwrap().contains("`id` and `key`"));
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn a_missing_secret_sends_nothing() {
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let file = tempfile::NamedTempFile::new().unwrap();
    for source in
        [json!({ "env": "NO_SUCH" }), json!({ "file": "/no/such" }), json!({ "file": file.path() })]
    {
        let mut settings = settings(&server);
        settings["key"] = source.clone();
        let failure = value(&connect(&BEARER, &settings), &READ).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable, "{source}");
        assert!(failure.message.contains("`key`"), "{failure}");
        assert!(failure.hint.unwrap().contains("`providers.closed.key`"));
    }
    assert_eq!(server.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn a_secret_in_a_file_is_read_for_each_request() {
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut settings = settings(&server);
    settings["key"] = json!({ "file": file.path() });
    let connection = connect(&BEARER, &settings);
    for (secret, sent) in
        [("one\n", "Bearer one"), ("two\r\n", "Bearer two"), (" x ", "Bearer  x ")]
    {
        std::fs::write(file.path(), secret).unwrap();
        value(&connection, &READ).await.unwrap();
        let last = server.requests().pop().unwrap();
        assert_eq!(last.header("authorization").map(str::trim_end), Some(sent.trim_end()));
    }
    std::fs::write(file.path(), "a\nb").unwrap();
    let failure = value(&connection, &READ).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert_eq!(server.lines().len(), 3);
}

#[tokio::test]
async fn no_template_sets_a_header_of_authentication() {
    static SETTING: Operation = Operation {
        request: Request { headers: list![entry("Authorization", whole("token"))], ..Request::GET },
        ..Operation::BARE
    };
    static COOKIE: Operation = Operation {
        request: Request { headers: list![entry("cookie", whole("token"))], ..Request::GET },
        ..Operation::BARE
    };
    static KEY: Operation = Operation {
        request: Request { headers: list![entry("x-api-key", whole("token"))], ..Request::GET },
        ..Operation::BARE
    };
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let closed = connect(&HEADER, &settings(&server));
    for operation in [&SETTING, &COOKIE, &KEY] {
        let failure = call(&closed, operation, json!({ "token": "mine" })).await.unwrap_err();
        assert_eq!(failure.code, Code::Internal);
    }
    assert_eq!(server.lines(), Vec::<String>::new());
}

/// Issues the tokens `t1`, `t2` and so on, of which the API accepts the last one that it is told.
fn issuing(accepted: Arc<AtomicUsize>, seconds: u64) -> HttpServer {
    let issued = AtomicUsize::new(0);
    HttpServer::answering(move |sent| {
        if sent.path() == "/token" {
            let number = issued.fetch_add(1, Ordering::SeqCst) + 1;
            let token = json!({ "access_token": format!("t{number}"), "token_type": "Bearer", "expires_in": seconds });
            return answer(200, &token);
        }
        let wanted = format!("Bearer t{}", accepted.load(Ordering::SeqCst));
        let status = if sent.header("authorization") == Some(&wanted) { 200 } else { 401 };
        answer(status, &json!(1))
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_is_issued_once_and_renewed_when_refused() {
    let accepted = Arc::new(AtomicUsize::new(1));
    let server = issuing(Arc::clone(&accepted), 3600);
    let closed = Arc::new(connect(&ISSUED, &settings(&server)));
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let closed = Arc::clone(&closed);
        calls.spawn(async move { value(&closed, &READ).await.unwrap() });
    }
    calls.join_all().await;
    let asked = |server: &HttpServer| {
        server.requests().iter().filter(|request| request.path() == "/token").count()
    };
    assert_eq!(asked(&server), 1);
    let request = server.requests().into_iter().find(|request| request.path() == "/token").unwrap();
    assert_eq!(request.header("authorization"), Some("Basic aSUzQWQ6czNjcmV0LW9mLWFsbA=="));
    assert_eq!(request.body, b"grant_type=client_credentials&scope=read%20write");

    accepted.store(2, Ordering::SeqCst);
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let closed = Arc::clone(&closed);
        calls.spawn(async move { value(&closed, &READ).await.unwrap() });
    }
    calls.join_all().await;
    assert_eq!(asked(&server), 2, "one call renews the token for all");

    accepted.store(3, Ordering::SeqCst);
    assert_eq!(value(&closed, &ADD).await, Ok(json!(1)), "a refused request did nothing");
    assert_eq!(asked(&server), 3);
    accepted.store(99, Ordering::SeqCst);
    let failure = value(&closed, &READ).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert_eq!(asked(&server), 4, "once is enough");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_belong_to_accounts() {
    // The token of a client is its own credential, so that each request tells whose token it has.
    let server = HttpServer::answering(|sent| {
        let credential = sent.header("authorization").unwrap();
        match credential.strip_prefix("Basic ") {
            Some(client) => answer(200, &json!({ "access_token": client })),
            None if credential == "Bearer YmVuOnMzY3JldC1vZi1iZW4=" => answer(401, &json!({})),
            // Backwards, because it would be masked.
            None => answer(200, &json!(credential.chars().rev().collect::<String>())),
        }
    });
    let mut settings = settings(&server);
    settings["accounts"] = json!({
        "anna": { "id": "anna", "key": { "env": "SECRET_OF_ANNA" } },
        "ben": { "id": "ben", "key": { "env": "SECRET_OF_BEN" } },
    });
    let closed = Arc::new(connect(&ISSUED, &settings));
    let mut calls = JoinSet::new();
    for account in ["anna", "ben", "carl"].into_iter().cycle().take(60) {
        let closed = Arc::clone(&closed);
        calls.spawn(async move {
            let calling = Calling { account: Some(account), ..Calling::new(json!({})) };
            (account, calling.run(&closed, &READ).await)
        });
    }
    for (account, outcome) in calls.join_all().await {
        match (account, outcome) {
            ("anna", outcome) => {
                assert_eq!(outcome.unwrap().value, "==QYu5WYtY2btQXZyN2MzpTYu5WY reraeB");
            }
            // Ben's tokens are revoked, and Carl has no credentials.
            (_, outcome) => assert_eq!(outcome.unwrap_err().code, Code::ProviderUnavailable),
        }
    }
    let tokens_of_anna = server
        .requests()
        .into_iter()
        .filter(|sent| sent.header("authorization") == Some("Basic YW5uYTpzM2NyZXQtb2YtYW5uYQ=="));
    assert_eq!(tokens_of_anna.count(), 1, "another account's refusal changes nothing");
}

#[tokio::test]
async fn a_token_that_has_ended_is_not_used() {
    let accepted = Arc::new(AtomicUsize::new(1));
    let server = issuing(Arc::clone(&accepted), 0);
    let closed = connect(&ISSUED, &settings(&server));
    for number in 1..=3 {
        accepted.store(number, Ordering::SeqCst);
        value(&closed, &READ).await.unwrap();
    }
    assert_eq!(server.lines().len(), 6);
}

#[tokio::test]
async fn an_authorization_server_that_fails_is_named() {
    let cases = [
        (answer(401, &json!({ "error": "invalid_client" })), Code::ProviderUnavailable),
        (answer(500, &json!({})), Code::UpstreamError),
        (answer(200, &json!({ "token": "x" })), Code::UpstreamError),
        (answer(200, &json!({ "access_token": "x", "token_type": "mac" })), Code::UpstreamError),
        (response(200, &[], b"<html>"), Code::UpstreamError),
    ];
    for (token, code) in cases {
        let server = HttpServer::answering(move |sent| match sent.path() {
            "/token" => token.clone(),
            _ => answer(200, &json!(1)),
        });
        let closed = connect(&ISSUED, &settings(&server));
        let failure = Calling::new(json!({})).run(&closed, &ADD).await.unwrap_err();
        assert_eq!(failure.code, code);
        assert!(failure.message.contains("authorization server of closed"), "{failure}");
        assert!(!failure.sent);
        assert!(server.lines().iter().all(|line| line == "POST /token"));
    }
}

/// A command that appends a line to a file each time, and writes the number of lines as `token-N`.
#[cfg(unix)]
fn counting(file: &std::path::Path) -> Value {
    let script = "echo >> \"$0\" && echo token-$(wc -l < \"$0\" | tr -d ' ')";
    json!({ "command": ["sh", "-c", script, file] })
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_runs_once_and_again_when_its_secret_is_refused() {
    let accepted = Arc::new(AtomicUsize::new(1));
    let number = Arc::clone(&accepted);
    let server = HttpServer::answering(move |sent| {
        let wanted = format!("Bearer token-{}", number.load(Ordering::SeqCst));
        let status = if sent.header("authorization") == Some(&wanted) { 200 } else { 401 };
        answer(status, &json!(1))
    });
    let runs = tempfile::NamedTempFile::new().unwrap();
    let mut settings = settings(&server);
    settings["key"] = counting(runs.path());
    let closed = Arc::new(connect(&BEARER, &settings));
    let count = || std::fs::read_to_string(runs.path()).unwrap().lines().count();
    for accept in [1, 2] {
        accepted.store(accept, Ordering::SeqCst);
        let mut calls = JoinSet::new();
        for _ in 0..10 {
            let closed = Arc::clone(&closed);
            calls.spawn(async move { value(&closed, &ADD).await.unwrap() });
        }
        calls.join_all().await;
        assert_eq!(count(), accept);
    }
    accepted.store(99, Ordering::SeqCst);
    let failure = value(&closed, &ADD).await.unwrap_err();
    assert_eq!(failure.code, Code::ProviderUnavailable);
    assert_eq!(count(), 3);
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_fails_is_named_without_its_arguments() {
    let server = HttpServer::answering(|_| answer(200, &json!(1)));
    let cases: [(&[&str], &str); 5] = [
        (&["no-such-program", "hunter2"], "the command `no-such-program` cannot be run"),
        (&["sh", "-c", "echo hunter2; exit 3"], "the command `sh` failed with exit status: 3"),
        (&["sh", "-c", "kill -9 $$ # hunter2"], "the command `sh` failed with signal: 9"),
        (&["sh", "-c", "echo # hunter2"], "the output of `sh` is empty"),
        (&["sh", "-c", "printf '\\377' # hunter2"], "the command `sh` did not write text"),
    ];
    for (command, why) in cases {
        let mut settings = settings(&server);
        settings["key"] = json!({ "command": command });
        let failure = value(&connect(&BEARER, &settings), &READ).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable);
        assert!(failure.message.contains(why), "{failure}");
        assert!(!failure.message.contains("hunter2"), "{failure}");
    }
    assert_eq!(server.lines(), Vec::<String>::new());
}

#[tokio::test]
async fn an_api_exchanges_credentials_in_its_own_way() {
    let setting = |name| SettingOrText::Setting(text(name));
    let field = |name, value| ExchangeField { name: text(name), value };
    for body in [ExchangeBody::Json, ExchangeBody::Form] {
        let fields = vec![
            field("user name", setting("id")),
            field("pass", setting("key")),
            field("kind", SettingOrText::Text(text("long & safe"))),
        ];
        let exchange = Auth::Exchange(TokenExchange {
            path: text("/login"),
            body,
            fields: fields.into(),
            token: Path(vec![name("session"), name("ticket")].into()),
            lifetime: None,
            scheme: text("Ticket"),
        });
        let api = with(List::Owned(vec![exchange]));
        let server = HttpServer::answering(|sent| match sent.path() {
            "/api/login" => answer(201, &json!({ "session": { "ticket": "t1" } })),
            _ if sent.header("authorization") == Some("Ticket t1") => answer(200, &json!(1)),
            _ => answer(401, &json!({})),
        });
        let closed = connect_to(Cow::Owned(api), &settings(&server), &options());
        for _ in 0..2 {
            value(&closed, &READ).await.unwrap();
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "the ticket is kept");
        let expected: &[u8] = match body {
            ExchangeBody::Json => {
                br#"{"user name":"i:d","pass":"s3cret-of-all","kind":"long & safe"}"#
            }
            ExchangeBody::Form => b"user%20name=i%3Ad&pass=s3cret-of-all&kind=long%20%26%20safe",
        };
        assert_eq!(requests[0].body, expected);
        assert_eq!(requests[0].header("authorization"), None);
    }
}
