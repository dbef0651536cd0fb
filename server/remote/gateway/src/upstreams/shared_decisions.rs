//! What the operator has decided, for the replicas of a server: a command keeps it where they find it, and each writes it into
//! the folder of its own that its running server follows.

use std::io;
use std::time::Duration;

use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{sleep, timeout};
use toolwrit_core::audit::storage::State;
use toolwrit_core::shared::{Heard, Kept, Notice, StorageFailed};

use crate::upstreams::approvals::Approvals;

/// How long decisions are kept without a new one.
const LIFETIME: Duration = Duration::from_hours(24 * 365 * 10);
/// How long a server that starts waits for the decisions of before.
const START_TIME: Duration = Duration::from_secs(5);
/// How soon it asks again.
const AGAIN: Duration = Duration::from_millis(200);

impl Approvals {
    /// Tells the replicas of a server what is decided here about an upstream.
    ///
    /// # Errors
    /// If the folder cannot be read, or they cannot be told.
    pub async fn share(&self, state: &State, upstream: &str) -> io::Result<()> {
        let text = json!(self.decisions(upstream)?).to_string();
        let kept = state.shared().keep(Kept::Upstream, upstream, text, LIFETIME).await;
        kept.map_err(|StorageFailed| io::Error::other("the database of --state does not answer"))?;
        state.shared().publish(Notice::Upstreams).await;
        Ok(())
    }

    /// Takes over what was decided at another replica about an upstream, if anything was.
    async fn take_over(&self, state: &State, upstream: &str) -> Result<(), StorageFailed> {
        let Some(text) = state.shared().kept(Kept::Upstream, upstream).await? else {
            return Ok(());
        };
        let decided = serde_json::from_str(&text).map_err(io::Error::other);
        if let Err(error) = decided.and_then(|decided| self.decide(upstream, &decided)) {
            tracing::error!(%error, upstream, "what was decided at another replica cannot be taken over");
        }
        Ok(())
    }
}

/// Takes over what was decided at other replicas about these upstreams, and goes on to do so. Does nothing without replicas.
///
/// # Errors
/// If this process cannot write into its folder, so that it would never offer a tool.
pub(super) async fn follow(
    state: &State,
    approvals: &Approvals,
    upstreams: Vec<String>,
) -> io::Result<()> {
    let Some(heard) = state.shared().watch().filter(|_| !upstreams.is_empty()) else {
        return Ok(());
    };
    approvals.prepare()?;
    if timeout(START_TIME, take_over_all(state, approvals, &upstreams)).await.is_err() {
        tracing::warn!("what was decided about upstreams at other replicas is not known yet");
    }
    tokio::spawn(hear(state.clone(), approvals.clone(), upstreams, heard));
    Ok(())
}

async fn take_over_all(state: &State, approvals: &Approvals, upstreams: &[String]) {
    for upstream in upstreams {
        while approvals.take_over(state, upstream).await.is_err() {
            sleep(AGAIN).await;
        }
    }
}

async fn hear(
    state: State,
    approvals: Approvals,
    upstreams: Vec<String>,
    mut heard: Receiver<Heard>,
) {
    loop {
        match heard.recv().await {
            Ok(Heard::Notice(Notice::Upstreams) | Heard::Missed) | Err(RecvError::Lagged(_)) => {
                take_over_all(&state, &approvals, &upstreams).await;
            }
            Ok(Heard::Notice(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
