//! Questions of an upstream that does not say to which call they belong.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolwrit_upstreams::{Answer, AskUser, Failure, Question, Supervisor, Upstream, User};

use crate::{Calling, command, definition, ready, text, within};

/// How often a user is asked until another call has begun.
const MOST: usize = 10_000;

/// A user who answers with their name, or never.
struct Person {
    name: &'static str,
    answers: bool,
    asked: Notify,
}

impl Person {
    fn new(name: &'static str, answers: bool) -> Arc<Self> {
        Arc::new(Self { name, answers, asked: Notify::new() })
    }
}

impl AskUser for Person {
    fn who(&self) -> String {
        self.name.to_owned()
    }

    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Option<Value>> + Send + '_>> {
        Box::pin(async move {
            assert_eq!(question.message, "Who?");
            self.asked.notify_one();
            if !self.answers {
                std::future::pending::<()>().await;
            }
            Some(json!({ "action": "accept", "content": { "name": self.name } }))
        })
    }
}

fn supervise(asks_users: bool) -> Upstream {
    let mut definition = definition(command(""));
    definition.asks_users = asks_users;
    Supervisor::default().supervise(definition)
}

/// Begins a call that does not end.
fn hang(upstream: &Upstream, user: User) -> tokio::task::JoinHandle<Result<Answer, Failure>> {
    let upstream = upstream.clone();
    let call = Calling { user, ..Calling::new("hang") };
    tokio::spawn(async move { call.on(&upstream).await })
}

async fn ask(upstream: &Upstream, user: User) -> String {
    let call = Calling { user, ..Calling::new("ask") };
    let answer = within(call.on(upstream)).await.unwrap();
    let said: Value = serde_json::from_str(text(&answer)).unwrap();
    said["content"]["name"].as_str().or(said["action"].as_str()).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_user_of_the_call_is_asked() {
    let upstream = supervise(true);
    ready(&upstream).await;
    let ada = || User::Present(Person::new("Ada", true));
    assert_eq!(ask(&upstream, ada()).await, "Ada");
    assert_eq!(ask(&upstream, User::Absent).await, "decline");
    assert_eq!(ask(&upstream, User::BetweenCalls).await, "decline");
    let ada_call = hang(&upstream, ada());
    assert_eq!(ask(&upstream, ada()).await, "Ada", "another call of the same user");
    let other = hang(&upstream, User::Present(Person::new("Ben", true)));
    let mut is_declined = false;
    // The other call begins in the background.
    for _ in 0..MOST {
        is_declined |= ask(&upstream, ada()).await == "decline";
        if is_declined {
            break;
        }
    }
    assert!(is_declined, "the question may be for Ben");
    ada_call.abort();
    other.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_questions_of_a_call_reach_its_user() {
    let upstream = supervise(true);
    ready(&upstream).await;
    let call =
        Calling { user: User::Present(Person::new("Ada", true)), ..Calling::new("ask_often") };
    assert_eq!(text(&within(call.on(&upstream)).await.unwrap()), "10");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_unless_the_definition_says_so() {
    let upstream = supervise(false);
    ready(&upstream).await;
    assert_eq!(ask(&upstream, User::Present(Person::new("Ada", true))).await, "decline");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_ends_with_its_call() {
    let upstream = supervise(true);
    ready(&upstream).await;
    let silent = Person::new("Ada", false);
    let call = Calling { user: User::Present(silent.clone()), ..Calling::new("ask") };
    let cancellation = call.cancellation.clone();
    let (ended, ()) = within(async {
        tokio::join!(call.on(&upstream), async {
            silent.asked.notified().await;
            cancellation.cancel();
        })
    })
    .await;
    assert!(ended.is_err());
    assert_eq!(ask(&upstream, User::Present(Person::new("Ben", true))).await, "Ben");
}
