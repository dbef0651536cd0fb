//! The task that supervises one upstream.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot, watch};

use super::recovery::Recovery;
use super::start_slots::StartSlots;
use super::{Event, Observer, State, Status, Upstream};
use crate::connection::{Connection, Listed, OpenError, Session, Shared, Subscriptions, open};
use crate::model::{Definition, Endpoint, Era, Start};
use crate::process::Guard;

/// What a call or the operator wants of an upstream.
pub(super) enum Control {
    /// A call waits.
    Want,
    /// It may run, if it is off.
    Enable,
    Directive(Directive),
}

/// What the operator wants in every state.
pub(super) enum Directive {
    /// Starts the upstream again, with another definition if there is one.
    Restart(Option<Arc<Definition>>),
    Disable,
    /// Stops the upstream for ever, and sends a message when it has stopped.
    Stop(Option<oneshot::Sender<()>>),
}

/// What handles see of an upstream.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) status: Status,
    /// Present while it is ready.
    pub(super) session: Option<Arc<Session>>,
    /// As it has listed them last.
    pub(super) listed: Option<Listed>,
    pub(super) attempts: Attempts,
}

/// The starts so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Attempts {
    pub(super) count: u64,
    /// When the last one began.
    pub(super) last: Option<Instant>,
    /// Whether one is under way.
    pub(super) is_trying: bool,
}

/// Supervises one upstream.
pub(super) struct Supervision {
    definition: Arc<Definition>,
    shared: Shared,
    slots: StartSlots,
    observer: Arc<dyn Observer>,
    controls: mpsc::UnboundedReceiver<Control>,
    current: watch::Sender<Current>,
    recovery: Recovery,
}

/// What is done next.
enum Step {
    Start,
    Serve(Box<Connection>),
    /// Wait in a state, until the next start if there is one.
    Rest(State, Option<Instant>),
    End(Option<oneshot::Sender<()>>),
}

impl Supervision {
    pub(super) fn new(
        definition: Arc<Definition>,
        guard: Arc<Guard>,
        slots: StartSlots,
        observer: Arc<dyn Observer>,
    ) -> (Self, Upstream) {
        let state = match definition.start {
            Start::AtOnce => State::Starting,
            Start::OnCall => State::Idle,
        };
        let status = Status::new(state);
        let (current, seen) = watch::channel(Current {
            status,
            session: None,
            listed: None,
            attempts: Attempts::default(),
        });
        let (sender, controls) = mpsc::unbounded_channel();
        let subscriptions = Arc::<Subscriptions>::default();
        let upstream = Upstream::new(definition.clone(), seen, sender, subscriptions.clone());
        let recovery = Recovery::default();
        let (heard, name) = (observer.clone(), definition.name.clone());
        let hear = move |line: &str| heard.observe(&name, &Event::Said(line.into()));
        let shared = Shared { guard, subscriptions, hear: Arc::new(hear) };
        (Self { definition, shared, slots, observer, controls, current, recovery }, upstream)
    }

    pub(super) async fn run(mut self) {
        let mut step = self.fresh();
        loop {
            step = match step {
                Step::Start => self.start().await,
                Step::Serve(connection) => self.serve(*connection).await,
                Step::Rest(state, until) => self.rest_in(state, until).await,
                Step::End(done) => {
                    self.enter(State::Stopped, None);
                    // Nobody may wait for it.
                    done.map(|done| done.send(()));
                    return;
                }
            };
        }
    }

    /// How a life begins.
    fn fresh(&self) -> Step {
        match self.definition.start {
            Start::AtOnce => Step::Start,
            Start::OnCall => Step::Rest(State::Idle, None),
        }
    }

    async fn rest_in(&mut self, state: State, until: Option<Instant>) -> Step {
        let now = self.current.borrow().status.clone();
        if (now.state, now.retry_at) != (state, until) {
            self.enter(state, until);
        }
        let due = async {
            match until {
                Some(until) => tokio::time::sleep_until(until.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(due);
        loop {
            let control = tokio::select! {
                control = receive(&mut self.controls) => control,
                () = &mut due => return Step::Start,
            };
            match control {
                Control::Want if state == State::Idle || self.may_try(state) => return Step::Start,
                Control::Enable if state == State::Off => {
                    self.recovery = Recovery::default();
                    return self.fresh();
                }
                Control::Want | Control::Enable => {}
                Control::Directive(directive) => return self.obey(directive),
            }
        }
    }

    /// Whether a call may start it before its pause has ended.
    fn may_try(&self, state: State) -> bool {
        let last = self.current.borrow().attempts.last;
        let is_long_ago =
            last.is_none_or(|last| last.elapsed() >= self.definition.timing.half_open);
        matches!(state, State::Backoff | State::Disabled) && is_long_ago
    }

    fn obey(&mut self, directive: Directive) -> Step {
        match directive {
            Directive::Disable => Step::Rest(State::Off, None),
            Directive::Stop(done) => Step::End(done),
            Directive::Restart(definition) => {
                self.definition = definition.unwrap_or_else(|| self.definition.clone());
                self.recovery = Recovery::default();
                Step::Start
            }
        }
    }

    async fn start(&mut self) -> Step {
        if !self.recovery.is_probing(&self.definition.timing) {
            self.enter(State::Starting, None);
        }
        self.current.send_modify(|current| {
            let count = current.attempts.count + 1;
            current.attempts = Attempts { count, last: Some(Instant::now()), is_trying: true };
        });
        self.attempt().await
    }

    async fn attempt(&mut self) -> Step {
        let definition = self.definition.clone();
        let era = self.era();
        let (shared, slots) = (self.shared.clone(), self.slots.clone());
        let opening = async {
            let opening = Box::pin(open(&definition, &shared, era));
            match definition.endpoint {
                Endpoint::Command(_) => slots.run(opening).await,
                Endpoint::Remote(_) => opening.await,
            }
        };
        tokio::pin!(opening);
        loop {
            let control = tokio::select! {
                opened = &mut opening => return match opened {
                    Ok(connection) => Step::Serve(Box::new(connection)),
                    Err(error) => self.failed(error),
                },
                control = receive(&mut self.controls) => control,
            };
            // The program that was being started is killed.
            if let Control::Directive(directive) = control {
                return self.obey(directive);
            }
        }
    }

    /// How the next connection begins: as the last one, so that a failure costs one start.
    fn era(&self) -> Era {
        match self.definition.era {
            Era::Any if !self.recovery.doubts_era() => {
                let status = &self.current.borrow().status;
                let now = status.server.as_ref().map(|server| Era::of_protocol(&server.protocol));
                now.or(self.definition.known_era).unwrap_or(Era::Any)
            }
            era => era,
        }
    }

    async fn serve(&mut self, mut connection: Connection) -> Step {
        let begun = Instant::now();
        let timing = self.definition.timing.clone();
        let session = connection.session.clone();
        let mut lists = connection.lists.clone();
        self.ready(&session, lists.borrow_and_update().clone());
        let unhealthy = session.unhealthy(&timing);
        tokio::pin!(unhealthy);
        let lost = loop {
            let control = tokio::select! {
                () = connection.ended() => break "It ended.".to_owned(),
                reason = &mut unhealthy => break reason,
                Ok(()) = lists.changed() => {
                    let changed = lists.borrow_and_update().clone();
                    self.listed(changed);
                    continue;
                }
                () = session.unused(timing.unused), if self.definition.start == Start::OnCall => {
                    self.stop(connection).await;
                    return Step::Rest(State::Idle, None);
                }
                control = receive(&mut self.controls) => control,
            };
            if let Control::Directive(directive) = control {
                self.stop(connection).await;
                return self.obey(directive);
            }
        };
        session.end();
        self.recovery.was_ready(begun.elapsed(), &timing);
        let (status, output) = connection.last_words().await;
        self.failed(OpenError::lost(status.unwrap_or(lost), output))
    }

    fn ready(&self, session: &Arc<Session>, listed: Listed) {
        self.tell(&Event::Tools(listed.tools.clone()));
        self.change(|current| {
            current.session = Some(session.clone());
            let starts = current.status.starts + 1;
            current.status = Status {
                starts,
                server: Some(session.server()),
                tools: listed.tools.tools().len(),
                ..Status::new(State::Ready)
            };
            current.listed = Some(listed);
        });
    }

    fn listed(&self, listed: Listed) {
        let before = self.current.borrow().listed.clone().unwrap_or_default();
        self.tell(&if Arc::ptr_eq(&before.tools, &listed.tools) {
            Event::Offers
        } else {
            Event::Tools(listed.tools.clone())
        });
        self.change(|current| {
            current.status.tools = listed.tools.tools().len();
            current.listed = Some(listed);
        });
    }

    async fn stop(&self, connection: Connection) {
        self.enter(State::Stopping, None);
        connection.stop(self.definition.timing.stop).await;
    }

    fn failed(&mut self, error: OpenError) -> Step {
        let timing = &self.definition.timing;
        let (state, pause) = if error.is_refused() {
            self.recovery.refused(timing)
        } else {
            self.recovery.failed(timing, chance())
        };
        let retry_at = Instant::now() + pause;
        self.change(|current| {
            current.status.state = state;
            current.status.reason = Some(error.reason);
            current.status.output = error.output;
            current.status.retry_at = Some(retry_at);
        });
        Step::Rest(state, Some(retry_at))
    }

    /// Changes what handles see, after the observer was told. Only a ready upstream has a session.
    fn change(&self, change: impl FnOnce(&mut Current)) {
        let mut current = self.current.borrow().clone();
        let before = current.status.state;
        // Whatever comes now ends the attempt.
        current.attempts.is_trying = false;
        change(&mut current);
        if current.status.state != before {
            current.status.since = Instant::now();
        }
        if current.status.state != State::Ready {
            current.session = None;
        }
        self.tell(&Event::Status(Box::new(current.status.clone())));
        self.current.send_replace(current);
    }

    fn enter(&self, state: State, retry_at: Option<Instant>) {
        self.change(|current| {
            current.status.state = state;
            current.status.retry_at = retry_at;
        });
    }

    fn tell(&self, event: &Event) {
        self.observer.observe(&self.definition.name, event);
    }
}

/// Waits for a control. Without a handle, the upstream is stopped.
async fn receive(controls: &mut mpsc::UnboundedReceiver<Control>) -> Control {
    controls.recv().await.unwrap_or(Control::Directive(Directive::Stop(None)))
}

/// Returns a number between -1 and 1 at random, so that upstreams that failed together do not start together.
fn chance() -> f64 {
    // Without randomness, pauses are the usual ones.
    getrandom::u32().map_or(0.0, |random| f64::from(random) / f64::from(u32::MAX) * 2.0 - 1.0)
}
