//! Access tokens of requests: issued by a source, and asked for once more if a server refuses one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::{BoxFuture, ready};
use secrecy::{ExposeSecret as _, SecretString};
use toolwrit_test_servers::http::HttpServer;
use toolwrit_upstreams::model::{NoToken, TokenSource};
use toolwrit_upstreams::{Code, State};

use crate::remotes::{local, refusal, region, serve, supervise, until};
use crate::{Calling, text_of};

/// Issues the tokens `t0`, `t1` and so on: the next one when one is forgotten.
#[derive(Debug, Default)]
struct Numbered {
    number: AtomicUsize,
    forgotten: Mutex<Vec<String>>,
}

impl TokenSource for Numbered {
    fn token(&self) -> BoxFuture<'_, Result<SecretString, NoToken>> {
        Box::pin(ready(Ok(format!("t{}", self.number.load(Ordering::SeqCst)).into())))
    }

    fn forget<'a>(&'a self, refused: &'a SecretString) -> BoxFuture<'a, ()> {
        self.number.fetch_add(1, Ordering::SeqCst);
        self.forgotten.lock().unwrap().push(refused.expose_secret().to_owned());
        Box::pin(ready(()))
    }
}

/// Has no token.
#[derive(Debug)]
struct Without(NoToken);

impl TokenSource for Without {
    fn token(&self) -> BoxFuture<'_, Result<SecretString, NoToken>> {
        Box::pin(ready(Err(self.0.clone())))
    }

    fn forget<'a>(&'a self, _: &'a SecretString) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}

/// A server that accepts one token at a time, and whose refusals have a header or not.
fn accepting(
    accepted: &Arc<AtomicUsize>,
    challenge: Option<(&'static str, &'static str)>,
) -> HttpServer {
    let accepted = accepted.clone();
    serve(move |_, request| {
        let wanted = format!("Bearer t{}", accepted.load(Ordering::SeqCst));
        let is_accepted = request.header("authorization") == Some(&wanted);
        if is_accepted { None } else { Some(refusal(401, challenge.as_slice())) }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_is_replaced_once() {
    for challenge in [Some(("www-authenticate", "Bearer")), None] {
        let accepted = Arc::new(AtomicUsize::new(0));
        let (server, tokens) = (accepting(&accepted, challenge), Arc::new(Numbered::default()));
        let upstream = supervise(local(server.url("/mcp")).with_tokens(tokens.clone()));
        assert_eq!(text_of("echo", &upstream).await, "answered");
        accepted.store(1, Ordering::SeqCst);
        assert_eq!(text_of("echo", &upstream).await, "answered", "{challenge:?}");
        assert_eq!(*tokens.forgotten.lock().unwrap(), ["t0"]);
        accepted.store(99, Ordering::SeqCst);
        let failure = Calling::new("echo").on(&upstream).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable, "{failure}");
        let status = until(State::Refused, &upstream).await;
        assert_eq!(status.reason.as_deref(), Some("It refuses the credentials."));
        let number = tokens.number.load(Ordering::SeqCst);
        accepted.store(number, Ordering::SeqCst);
        upstream.restart();
        until(State::Ready, &upstream).await;
        assert_eq!(text_of("echo", &upstream).await, "answered");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_refused_for_the_list_is_replaced_once() {
    let requests = Arc::new(AtomicUsize::new(0));
    let seen = requests.clone();
    let server = serve(move |message, request| {
        let is_list = message["method"] == "tools/list";
        seen.fetch_add(usize::from(is_list), Ordering::SeqCst);
        let is_refused = is_list && request.header("authorization") == Some("Bearer t0");
        if is_refused { Some(refusal(401, &[("www-authenticate", "Bearer")])) } else { None }
    });
    let tokens = Arc::new(Numbered::default());
    let upstream = supervise(local(server.url("/mcp")).with_tokens(tokens.clone()));
    assert_eq!(text_of("echo", &upstream).await, "answered");
    assert_eq!(region(&upstream), "here");
    assert_eq!(*tokens.forgotten.lock().unwrap(), ["t0"]);
    assert_eq!(requests.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upstream_without_a_token_says_why() {
    let accepted = Arc::new(AtomicUsize::new(0));
    for (refused, state) in [(true, State::Refused), (false, State::Disabled)] {
        let reason = "The authorization server answered with status 401.".to_owned();
        let without = Without(NoToken { reason: reason.clone(), refused });
        let server = accepting(&accepted, None);
        let remote = local(server.url("/mcp")).with_tokens(Arc::new(without));
        let status = until(state, &supervise(remote)).await;
        assert_eq!(status.reason, Some(reason));
    }
}
