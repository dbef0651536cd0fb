//! Supervised upstreams: a scripted server that does what servers should not, as a program of its own.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests fail as tests do")]
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "the scripted server writes to them")]

mod calls;
#[cfg(target_os = "linux")]
mod deaths;
mod imports;
mod lifecycles;
mod lists;
mod locks;
mod masking;
mod older;
mod questions;
mod real;
mod refusals;
mod remotes;
mod scripted;
mod sessions;
mod tokens;
mod unreadable;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwrit_upstreams::model::{Command, Definition, Endpoint, Timing};
use toolwrit_upstreams::{Answer, Call, Caller, Failure, State, Supervisor, Upstream, User};

/// The scripted server in a mode of [`scripted::Mode`].
fn command(mode: &str) -> Command {
    let program = std::env::current_exe().unwrap();
    let arguments = ["scripted::serve", "--exact", "--nocapture", "--quiet"];
    Command::new(program.to_str().unwrap(), arguments).with_variable(scripted::MODE, mode)
}

/// A definition without pauses, so that tests need no time.
fn definition(command: Command) -> Definition {
    let quick = Timing {
        pauses: vec![Duration::from_millis(1)],
        failures: 5,
        half_open: Duration::from_hours(1),
        steady: Duration::ZERO,
        stop: Duration::from_millis(500),
        ..Timing::default()
    };
    Definition { timing: quick, ..Definition::new("scripted", Endpoint::Command(command)) }
}

fn supervise(mode: &str) -> Upstream {
    Supervisor::default().supervise(definition(command(mode)))
}

/// A call that a test describes by its fields.
struct Calling {
    tool: &'static str,
    arguments: Map<String, Value>,
    patience: Duration,
    cancellation: CancellationToken,
    progress: Option<toolwrit_upstreams::ProgressSink>,
    user: User,
    is_repeatable: bool,
}

impl Calling {
    fn new(tool: &'static str) -> Self {
        Self {
            tool,
            arguments: Map::new(),
            patience: Duration::from_secs(30),
            cancellation: CancellationToken::new(),
            progress: None,
            user: User::Absent,
            is_repeatable: false,
        }
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    async fn on(self, upstream: &Upstream) -> Result<Answer, Failure> {
        let call = Call {
            tool: self.tool,
            arguments: &self.arguments,
            is_repeatable: self.is_repeatable,
            caller: Caller {
                cancellation: self.cancellation,
                progress: self.progress,
                user: self.user,
                ..Caller::until(Instant::now() + self.patience)
            },
        };
        upstream.call(&call).await
    }
}

/// The text of an answer.
fn text(answer: &Answer) -> &str {
    answer.content[0]["text"].as_str().unwrap()
}

async fn text_of(tool: &'static str, upstream: &Upstream) -> String {
    text(&Calling::new(tool).on(upstream).await.unwrap()).to_owned()
}

async fn ready(upstream: &Upstream) {
    let status = within(upstream.until(|status| status.state == State::Ready)).await;
    assert_eq!(status.state, State::Ready, "{status:?}");
}

/// Every wait of a test has an end.
async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(5), future).await.expect("the wait has an end")
}

/// What an observer has seen.
#[derive(Default)]
struct Seen(std::sync::Mutex<Vec<(State, Option<String>)>>);

impl toolwrit_upstreams::Observer for Seen {
    fn observe(&self, _: &str, event: &toolwrit_upstreams::Event) {
        if let toolwrit_upstreams::Event::Status(status) = event {
            self.0.lock().unwrap().push((status.state, status.reason.clone()));
        }
    }
}

impl Seen {
    fn states(self: &Arc<Self>) -> Vec<State> {
        let mut states: Vec<State> = self.0.lock().unwrap().iter().map(|seen| seen.0).collect();
        states.dedup();
        states
    }
}
