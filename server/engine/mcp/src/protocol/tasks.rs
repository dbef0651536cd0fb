//! Tasks ([SEP-2663]): calls of operations with `task` that continue after they were answered, for clients
//! that support the extension.
//!
//! [SEP-2663]: https://modelcontextprotocol.io/seps/2663-tasks-extension

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ClientCapabilities, CreateTaskResult, DetailedTask, ErrorData, Task,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::broken_off;
use super::shared_tasks::{NamedTask, SharedTask, TaskInput};
use super::{STATELESS, dialogue, tool};
use crate::endpoint::{Endpoint, Request, ToolAnswer};
use toolwrit_core::authority::{Begins, OperationHandle, TaskSupport};
use toolwrit_core::call::reports::{HandlerReport, Progress, Reports};
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::dialogue::{Abilities, Dialogue, LiveClient, Peer, Question, Replies};
use toolwrit_core::fault::{Code, Fault, Result};
use toolwrit_core::shared::StorageFailed;

/// The time that a task has beyond its handler's timeout, mainly to wait for answers of the client.
const EXTRA_TIME: Duration = Duration::from_mins(15);
/// How often a client should poll, in milliseconds.
const POLL_INTERVAL_MS: u64 = 500;
/// How many tasks may run at once. The same number of ended tasks is kept.
const MOST: usize = 1024;
/// The same limits for one principal.
const MOST_OF_ONE: usize = 128;

/// The tasks of all endpoints of this process, by id.
static TASKS: LazyLock<Tasks> = LazyLock::new(Tasks::default);

#[derive(Default)]
struct Tasks(Mutex<HashMap<String, KnownTask>>);

struct KnownTask {
    /// A manager for only this task, because rmcp's manager cannot remove a task before its TTL.
    manager: TaskManager,
    principal: Principal,
    /// When the task is removed, ended or not.
    until: Instant,
    /// When the task ended; `None` while it runs.
    ended: Option<Instant>,
}

/// A tool call for a task.
pub(super) struct TaskWork {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) request: Request,
    /// The questions that the client can answer.
    pub(super) abilities: Abilities,
    /// The answers of earlier rounds, if there were any.
    pub(super) earlier: Option<Replies>,
}

/// A call that continues as a task.
pub(super) struct WantedTask {
    pub(super) operation: OperationHandle,
    pub(super) begins: Begins,
}

/// Returns how a call of this operation continues as a task; `None` if it does not.
///
/// # Errors
/// If the operation requires a client that supports tasks, and this client does not declare it.
pub(super) fn wanted(
    cx: &RequestContext<RoleServer>,
    operation: Option<OperationHandle>,
) -> std::result::Result<Option<WantedTask>, ErrorData> {
    let Some((operation, task)) = operation.and_then(|operation| {
        let task = operation.row().task?;
        Some((operation, task))
    }) else {
        return Ok(None);
    };
    let version = cx.protocol_version();
    if version.is_none_or(|version| version < STATELESS) {
        return Ok(None);
    }
    let is_supported = cx.client_capabilities().is_some_and(|client| client.supports_tasks());
    if task.support == TaskSupport::Required && !is_supported {
        let required = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    Ok(is_supported.then_some(WantedTask { operation, begins: task.begins }))
}

/// Begins a task.
///
/// # Errors
/// `LIMIT_EXCEEDED` if too many tasks are running; `PROVIDER_UNAVAILABLE` if other replicas cannot be told of it.
pub(super) async fn begin(operation: &OperationHandle, work: TaskWork) -> Result<CreateTaskResult> {
    let state = work.endpoint.state().clone();
    let principal = work.request.origin.principal.clone();
    let time = work.endpoint.timeout(operation) + EXTRA_TIME;
    let (go, may_run) = oneshot::channel();
    let (task, manager) = spawn(operation, work, time, may_run)?;
    let id = task.task_id.clone();
    let shared = SharedTask { state, principal, manager, id, lifetime: 2 * time }.begin().await;
    shared.map_err(|StorageFailed| untold().of_operation(&operation.row().id))?;
    // The task waits for it.
    let _ = go.send(());
    Ok(CreateTaskResult::new(task))
}

/// The refusal of a task that only this process would know.
fn untold() -> Fault {
    let message = "The server cannot tell its other replicas of a task at the moment, so it did not begin it.";
    Fault::new(Code::ProviderUnavailable, message)
        .retry_after(1.0)
        .hinting("Send the same call again later. The server's log has the reason.")
}

/// Starts a task in this process. Its work begins when it may run, and never if that is not said.
///
/// # Errors
/// `LIMIT_EXCEEDED` if too many tasks are running.
fn spawn(
    operation: &OperationHandle,
    mut work: TaskWork,
    time: Duration,
    may_run: oneshot::Receiver<()>,
) -> Result<(Task, TaskManager)> {
    let principal = work.request.origin.principal.clone();
    let mut known = TASKS.known();
    known.retain(|_, task| task.until > Instant::now());
    let running = known.values().filter(|task| task.ended.is_none());
    let tasks_of_principal = running.clone().filter(|task| task.principal == principal).count();
    if tasks_of_principal >= MOST_OF_ONE || running.count() >= MOST {
        return Err(Fault::new(Code::LimitExceeded, "Too many tasks are running.")
            .of_operation(&operation.row().id)
            .hinting("Wait until some of them have ended.")
            .retry_after(60.0));
    }
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let options =
        TaskOptions::new().with_ttl_ms(milliseconds).with_poll_interval_ms(POLL_INTERVAL_MS);
    let manager = TaskManager::new();
    let task = manager.spawn(options, |task| {
        let live = LiveClient::new(work.abilities, Box::new(TaskPeer(task.clone())));
        let live = match work.earlier.take() {
            Some(replies) => live.after(replies),
            None => live,
        };
        work.request.dialogue = Dialogue::Live(Arc::new(live));
        let ending = TaskEnding(task.task_id().to_owned());
        Box::pin(async move {
            let _ending = ending;
            match may_run.await {
                Ok(()) => run(task, work).await,
                Err(_) => Err(TaskExit::Cancelled),
            }
        })
    });
    // rmcp keeps a running task for its TTL, and its result for the same time again.
    let until = Instant::now() + 2 * time;
    let known_task = KnownTask { manager: manager.clone(), principal, until, ended: None };
    known.insert(task.task_id.clone(), known_task);
    Ok((task, manager))
}

async fn run(task: TaskContext, work: TaskWork) -> std::result::Result<CallToolResult, TaskExit> {
    let TaskWork { endpoint, tool, arguments, mut request, .. } = work;
    // The cancellation token of the request ends with the request, so the task gets its own.
    let cancellation = CancellationToken::new();
    request.cancellation = cancellation.clone();
    let (progress, mut reports) = Reports::channel();
    request.reports = Reports { progress: Some(progress), log: None };
    let call = {
        let endpoint = endpoint.clone();
        async move { endpoint.call(&tool, arguments, request).await }
    };
    let mut call = tokio::spawn(call);
    let _cancel_on_drop = cancellation.clone().drop_guard();
    let mut was_cancelled = false;
    let answer = loop {
        tokio::select! {
            answer = &mut call => break answer.map_err(|_| TaskExit::Error(broken_off()))?,
            () = task.cancelled(), if !was_cancelled => {
                was_cancelled = true;
                cancellation.cancel();
            }
            Some(report) = reports.recv() => {
                if let HandlerReport::Progress(Progress { message: Some(message), .. }) = report {
                    task.set_status_message(message);
                }
            }
        }
    };
    match answer.code {
        // An open question may end the call before this task sees the cancellation.
        Some(Code::Cancelled) if task.is_cancel_requested() => Err(TaskExit::Cancelled),
        // A defect of the server is a failure of the task, not a result of the tool.
        Some(Code::Internal) => {
            let error = defect(answer);
            task.set_status_message(error.message.clone());
            Err(TaskExit::Error(error))
        }
        _ => Ok(tool::result(answer)),
    }
}

/// Returns the error of a failed task, with the fault in its data.
fn defect(answer: ToolAnswer) -> ErrorData {
    let fault = answer.structured;
    let message = fault.as_ref().and_then(|fault| fault["error"]["message"].as_str());
    ErrorData::internal_error(message.unwrap_or_default().to_owned(), fault)
}

/// Returns the state of a task, which may be one of another replica.
///
/// # Errors
/// `-32602` if the principal has no such task.
pub(super) async fn state(of: NamedTask<'_>) -> std::result::Result<DetailedTask, ErrorData> {
    match TASKS.manager(of.principal, of.id) {
        Some(manager) => manager.get_task(of.id),
        None => of.elsewhere().await,
    }
}

/// Passes answers to its questions, or the wish that it ends, to a task.
///
/// # Errors
/// As [`state`].
pub(super) async fn send(
    to: NamedTask<'_>,
    input: TaskInput,
) -> std::result::Result<(), ErrorData> {
    match TASKS.manager(to.principal, to.id) {
        Some(manager) => input.apply(&manager, to.id),
        None => to.send(&input).await,
    }
}

/// Marks a task as ended when it is dropped, even if the task is aborted.
struct TaskEnding(String);

impl Drop for TaskEnding {
    fn drop(&mut self) {
        TASKS.ended(&self.0);
    }
}

impl Tasks {
    /// Returns the manager of a task of this process; `None` if this principal has no such task.
    fn manager(&self, principal: &Principal, id: &str) -> Option<TaskManager> {
        let known = self.known();
        known.get(id).filter(|task| task.principal == *principal).map(|task| task.manager.clone())
    }

    /// Marks a task as ended. If there are too many ended tasks, removes the oldest.
    fn ended(&self, id: &str) {
        let mut known = self.known();
        let Some(task) = known.get_mut(id) else { return };
        task.ended = Some(Instant::now());
        let principal = task.principal.clone();
        forget(&mut known, MOST_OF_ONE, |task| task.principal == principal);
        forget(&mut known, MOST, |_| true);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, KnownTask>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the task that ended first among those selected by `of`, if more than `most` of them have ended.
fn forget(known: &mut HashMap<String, KnownTask>, most: usize, of: impl Fn(&KnownTask) -> bool) {
    let ended = known.iter().filter(|(_, task)| of(task));
    let ended = ended.filter_map(|(id, task)| Some((task.ended?, id)));
    if ended.clone().count() > most
        && let Some((_, first)) = ended.min()
    {
        let first = first.clone();
        known.remove(&first);
    }
}

/// The client of a task. It finds the questions in the state of the task.
struct TaskPeer(TaskContext);

impl Peer for TaskPeer {
    fn put<'a>(
        &'a self,
        key: &'a str,
        question: &'a Question,
    ) -> Pin<Box<dyn Future<Output = Result<Value>> + Send + 'a>> {
        Box::pin(async move {
            let request = dialogue::request(question)
                .ok_or_else(|| Fault::internal("the question cannot be expressed in MCP"))?;
            self.0.request_input(key, request).await.map_err(|exit| match exit {
                TaskExit::Cancelled => Fault::cancelled("The task was cancelled."),
                TaskExit::Error(error) => Fault::internal(error.message),
            })
        })
    }
}
