//! Tasks of other replicas. The replica that runs a task tells its state to the others, and collects what clients have sent
//! to them.

use std::time::Duration;

use rmcp::model::{DetailedTask, ErrorData, InputResponses, TaskPayload, TaskStatus};
use rmcp::task_manager::TaskManager;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, interval};

use toolwrit_core::audit::storage::{State, StorageFailed};
use toolwrit_core::caller::principal::Principal;
use toolwrit_core::shared::{Heard, Kept, Notice};

/// How often the state of a running task is compared with what the others know.
const LOOK: Duration = Duration::from_millis(250);
/// How long a running task counts as such without a sign of its replica.
const SIGN_LIFETIME: Duration = Duration::from_secs(10);
/// How often its replica gives a sign.
const SIGN: Duration = Duration::from_secs(3);

/// What a client sends to a task.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskInput {
    /// Answers to its questions.
    Answers(InputResponses),
    /// The wish that it ends.
    Cancel,
}

impl TaskInput {
    /// Passes this to a task of this process.
    ///
    /// # Errors
    /// `-32602` if the task has expired.
    pub(super) fn apply(self, manager: &TaskManager, id: &str) -> Result<(), ErrorData> {
        match self {
            Self::Answers(responses) => manager.update_task(id, responses),
            Self::Cancel => manager.cancel_task(id),
        }
    }
}

/// What replicas know of a task.
#[derive(Debug, Serialize, Deserialize)]
struct KeptTask {
    principal: String,
    task: DetailedTask,
}

/// A task that a client names.
#[derive(Clone, Copy)]
pub(super) struct NamedTask<'a> {
    pub(super) state: &'a State,
    pub(super) principal: &'a Principal,
    pub(super) id: &'a str,
}

impl NamedTask<'_> {
    /// Returns the state of a task of another replica. One whose replica has ended has failed.
    ///
    /// # Errors
    /// `-32602` if the principal has no such task, `-32603` if that cannot be read.
    pub(super) async fn elsewhere(self) -> Result<DetailedTask, ErrorData> {
        let shared = self.state.shared();
        let kept = shared.kept(Kept::Task, self.id).await.map_err(unreadable)?;
        let kept = kept.and_then(|text| serde_json::from_str::<KeptTask>(&text).ok());
        let kept = kept.filter(|kept| kept.principal == self.principal.as_str());
        let KeptTask { task, .. } = kept.ok_or_else(no_such_task)?;
        if has_ended(task.status()) {
            return Ok(task);
        }
        match shared.kept(Kept::TaskRuns, self.id).await.map_err(unreadable)? {
            Some(_) => Ok(task),
            None => Ok(DetailedTask::new(task.task, TaskPayload::Failed { error: lost() })),
        }
    }

    /// Sends something to a task of another replica.
    ///
    /// # Errors
    /// As [`Self::elsewhere`].
    pub(super) async fn send(self, input: &TaskInput) -> Result<(), ErrorData> {
        let task = self.elsewhere().await?;
        if has_ended(task.status()) {
            return Ok(());
        }
        let shared = self.state.shared();
        let text = json!(input).to_string();
        shared.add(Kept::TaskInput, self.id, text, SIGN_LIFETIME).await.map_err(unreadable)?;
        shared.publish(Notice::Task(self.id.to_owned())).await;
        Ok(())
    }
}

/// A task of this process that other replicas know, too.
pub(super) struct SharedTask {
    pub(super) state: State,
    pub(super) principal: Principal,
    pub(super) manager: TaskManager,
    pub(super) id: String,
    /// How long its state is kept.
    pub(super) lifetime: Duration,
}

impl SharedTask {
    /// Tells the other replicas of a new task, and goes on to do so until it has ended. Does nothing without replicas.
    ///
    /// # Errors
    /// If the others cannot be told, so that nobody could ask them for the task.
    pub(super) async fn begin(self) -> Result<(), StorageFailed> {
        if self.state.shared().replica().is_none() {
            return Ok(());
        }
        // A client may ask another replica at once.
        self.sign().await?;
        let task = self.manager.get_task(&self.id).map_err(|_| StorageFailed)?;
        let told = self.keep(task).await?;
        tokio::spawn(self.follow(told));
        Ok(())
    }

    async fn follow(self, told: DetailedTask) {
        let mut told = Some(told);
        let Some(mut heard) = self.state.shared().watch() else { return };
        let (mut look, mut signed) = (interval(LOOK), Instant::now());
        loop {
            let has_input = tokio::select! {
                _ = look.tick() => false,
                heard = heard.recv() => match heard {
                    Ok(Heard::Notice(Notice::Task(id))) => id == self.id,
                    Ok(Heard::Notice(_)) => continue,
                    Ok(Heard::Missed) | Err(RecvError::Lagged(_)) => true,
                    Err(RecvError::Closed) => return,
                },
            };
            if has_input {
                self.collect().await;
            }
            if signed.elapsed() >= SIGN {
                signed = Instant::now();
                // The next sign tries again.
                let _ = self.sign().await;
                // A notice may have been missed.
                self.collect().await;
            }
            told = self.tell(told).await;
            if told.as_ref().is_none_or(|task| has_ended(task.status())) {
                return;
            }
        }
    }

    /// Tells the state, if it is another than the one told last. Returns the one told last; `None` if the task has expired.
    async fn tell(&self, told: Option<DetailedTask>) -> Option<DetailedTask> {
        let task = self.manager.get_task(&self.id).ok()?;
        if told.as_ref() == Some(&task) {
            return told;
        }
        // The next look tries again.
        self.keep(task).await.ok().or(told)
    }

    /// Keeps the state for the other replicas, and returns it.
    async fn keep(&self, task: DetailedTask) -> Result<DetailedTask, StorageFailed> {
        let kept = KeptTask { principal: self.principal.as_str().to_owned(), task };
        let text = json!(kept).to_string();
        self.state.shared().keep(Kept::Task, &self.id, text, self.lifetime).await?;
        Ok(kept.task)
    }

    /// Says that the task runs.
    async fn sign(&self) -> Result<(), StorageFailed> {
        let replica = self.state.shared().replica().unwrap_or_default().to_owned();
        self.state.shared().keep(Kept::TaskRuns, &self.id, replica, SIGN_LIFETIME).await
    }

    /// Passes on what clients have sent to other replicas.
    async fn collect(&self) {
        let Ok(texts) = self.state.shared().collect(Kept::TaskInput, &self.id).await else {
            return;
        };
        for input in texts.iter().filter_map(|text| serde_json::from_str::<TaskInput>(text).ok()) {
            if let Err(error) = input.apply(&self.manager, &self.id) {
                tracing::debug!(%error, "a task does not take what a client has sent");
            }
        }
    }
}

fn has_ended(status: TaskStatus) -> bool {
    matches!(status, TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled)
}

fn lost() -> serde_json::Map<String, serde_json::Value> {
    let message = "the replica that ran the task has ended, so it is unknown whether it was done; check what it would have \
                   changed before you begin another";
    let error = ErrorData::internal_error(message, None);
    match json!(error) {
        serde_json::Value::Object(error) => error,
        _ => serde_json::Map::new(),
    }
}

fn no_such_task() -> ErrorData {
    ErrorData::invalid_params("there is no such task; it may have expired", None)
}

fn unreadable(_: StorageFailed) -> ErrorData {
    ErrorData::internal_error(
        "the server cannot ask its other replicas at the moment; try again later",
        None,
    )
}
