//! What an upstream sends by itself: progress of calls, news of its tools, and questions to the user. Questions to models
//! are declined.
#![expect(deprecated, reason = "upstreams may still ask for a model")]

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, Implementation,
    LoggingMessageNotificationParam, NumberOrString, ProgressNotificationParam, ProgressToken,
    ResourceUpdatedNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;
use toolwrit_text::Secrets;

use super::in_flight::InFlight;
use super::subscriptions::Subscriptions;
use crate::model::Definition;
use crate::progress::{Progress, ProgressSink};
use crate::questions::question;
use crate::speech::Speech;
use crate::written::to_json;
use toolwrit_text::shorten::visible_line;

/// Length limit of a progress message, in characters.
const MAX_MESSAGE: usize = 500;
/// Progress that is kept for callers who do not listen yet.
const MAX_OTHERS: usize = 64;
/// How far the token of such a caller is from those that have listened.
const NEXT_TOKENS: i64 = 1_000;
/// Progress of one call that passes in a second. What comes beyond is dropped.
const MAX_PER_SECOND: u32 = 100;

/// Receives what an upstream sends by itself.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    listeners: Arc<Mutex<Listeners>>,
    pub(crate) tools_changed: Arc<Notify>,
    pub(crate) resources_changed: Arc<Notify>,
    pub(crate) prompts_changed: Arc<Notify>,
    /// Whether it may ask users.
    pub(crate) asks_users: bool,
    /// Whether its resources and its prompts are listed.
    pub(super) resources: bool,
    pub(super) prompts: bool,
    pub(super) in_flight: InFlight,
    pub(super) subscriptions: Arc<Subscriptions>,
    /// What nothing that it sends may repeat.
    pub(crate) secrets: Secrets,
    /// Its log messages.
    speech: Speech,
}

/// Who wants to know the progress of calls.
#[derive(Default)]
struct Listeners {
    listening: HashMap<ProgressToken, Listener>,
    /// Progress of calls that nobody listens to yet.
    others: VecDeque<ProgressNotificationParam>,
    /// The first token that nobody has listened to. The tokens of calls are consecutive numbers.
    next: i64,
}

/// Who wants to know the progress of a call.
struct Listener {
    sink: ProgressSink,
    last: f64,
    /// When the current second began, and how much has passed in it.
    second: (Instant, u32),
    /// Whether the upstream has reported progress by itself.
    is_reported: bool,
    /// The last status message.
    said: String,
}

/// Removes a listener when it is dropped.
pub(crate) struct Listening {
    handler: Handler,
    token: ProgressToken,
}

impl Handler {
    pub(super) fn new(
        definition: &Definition,
        subscriptions: Arc<Subscriptions>,
        speech: Speech,
    ) -> Self {
        let Definition { asks_users, resources, prompts, .. } = *definition;
        let secrets = definition.secrets.clone();
        Self { asks_users, resources, prompts, subscriptions, secrets, speech, ..Self::default() }
    }

    /// Asks the user behind the calls in flight. Returns `None` if nobody can be asked, or if nobody waits for the answer
    /// any more.
    async fn ask(
        &self,
        params: ElicitRequestParams,
        cx: RequestContext<RoleClient>,
    ) -> Option<ElicitResult> {
        let question = question(params).filter(|_| self.asks_users)?;
        let (user, ended) = self.in_flight.only_user()?;
        let reply = tokio::select! {
            reply = user.ask(question) => reply,
            () = ended.cancelled() => None,
            () = cx.ct.cancelled() => None,
        };
        // The client of another server has written it.
        serde_json::from_value(reply?).ok()
    }

    /// Passes on the progress of a call from now on, and what has come before its caller could listen.
    pub(crate) fn listen(&self, token: ProgressToken, sink: ProgressSink) -> Listening {
        let mut listeners = self.lock();
        let mut early = Vec::new();
        listeners.others.retain(|listener| {
            let is_own = listener.progress_token == token;
            early.extend(is_own.then(|| listener.clone()));
            !is_own
        });
        if let NumberOrString::Number(number) = token.0 {
            listeners.next = listeners.next.max(number.saturating_add(1));
        }
        let mut listener = Listener {
            sink,
            last: f64::NEG_INFINITY,
            second: (Instant::now(), 0),
            is_reported: false,
            said: String::new(),
        };
        for progress in early {
            listener.hear(progress);
        }
        listeners.listening.insert(token.clone(), listener);
        drop(listeners);
        Listening { handler: self.clone(), token }
    }

    /// Receives the progress of a call. What belongs to no call is dropped.
    pub(super) fn progressed(&self, mut progress: ProgressNotificationParam) {
        let mut listeners = self.lock();
        if let Some(listener) = listeners.listening.get_mut(&progress.progress_token) {
            return listener.hear(progress);
        }
        let NumberOrString::Number(number) = progress.progress_token.0 else { return };
        if !(0..NEXT_TOKENS).contains(&number.saturating_sub(listeners.next)) {
            return;
        }
        if listeners.others.len() >= MAX_OTHERS {
            listeners.others.pop_front();
        }
        progress.message = progress.message.map(|message| visible_line(&message, MAX_MESSAGE));
        progress.meta = None;
        listeners.others.push_back(progress);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Passes progress on that is further than the one before.
    fn hear(&mut self, notification: ProgressNotificationParam) {
        if notification.progress <= self.last || notification.progress.is_nan() || !self.passes() {
            return;
        }
        self.is_reported = true;
        self.last = notification.progress;
        (self.sink)(Progress {
            progress: notification.progress,
            total: notification.total,
            message: notification.message.map(|message| visible_line(&message, MAX_MESSAGE)),
        });
    }

    /// Whether more progress may pass in this second.
    fn passes(&mut self) -> bool {
        if self.second.0.elapsed() >= Duration::from_secs(1) {
            self.second = (Instant::now(), 0);
        }
        self.second.1 += 1;
        self.second.1 <= MAX_PER_SECOND
    }

    /// Passes a status message on, as one more step, unless the upstream reports progress by itself.
    fn say(&mut self, message: &str) {
        let message = visible_line(message, MAX_MESSAGE);
        if self.is_reported || self.said == message || !self.passes() {
            return;
        }
        self.said.clone_from(&message);
        self.last = self.last.max(0.0) + 1.0;
        (self.sink)(Progress { progress: self.last, total: None, message: Some(message) });
    }
}

impl Listening {
    /// Receives a status message of a call.
    pub(crate) fn say(&self, message: &str) {
        if let Some(listener) = self.handler.lock().listening.get_mut(&self.token) {
            listener.say(message);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.handler.lock().listening.remove(&self.token);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities.elicitation = self.asks_users.then(ElicitationCapability::default);
        config.client_info = Implementation::new("toolwrit", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        cx: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let reply = self.ask(params, cx).await;
        Ok(reply.unwrap_or_else(|| ElicitResult::new(ElicitationAction::Decline)))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let message = "requests for a model are not passed on to the client";
        Err(ErrorData::invalid_request(message, None))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn on_resource_updated(
        &self,
        update: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.subscriptions.update(&update.uri);
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = to_json(&message.level);
        let level = level.as_str().unwrap_or("log").to_owned();
        match message.data.as_str() {
            Some(text) => self.speech.say(&format!("{level}: {text}")),
            None => self.speech.say(&format!("{level}: {}", message.data)),
        }
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.resources_changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.prompts_changed.notify_one();
    }
}
