//! What the engine does with notices of other replicas, and tells them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::Engine;
use toolwrit_core::audit::storage::State;
use toolwrit_core::shared::{Heard, Notice};
use toolwrit_core::updates::Listener;
use toolwrit_text::hex::Hex;

/// How long a server waits for a place that another holds: longer than the lease of one that was killed.
const PLACE_TIME: Duration = Duration::from_secs(15);
/// How often it looks.
const PLACE_LOOK: Duration = Duration::from_millis(500);

/// Why this server must not serve.
#[derive(Debug, thiserror::Error)]
pub enum PlaceTaken {
    /// Another replica serves it.
    #[error(
        "the replica {0} serves the same already, and only one may at a time; stop it. If it serves something else by the same path, give both a --location"
    )]
    By(String),
    /// What replicas share cannot be reached.
    #[error(
        "whether another replica serves the same cannot be found out, because the database of --state does not answer"
    )]
    Unknown,
}

/// Takes the place of the only server of a location.
pub(super) async fn take_place(state: &State, location: &str) -> Result<(), PlaceTaken> {
    let digest = Hex(&Sha256::digest(location)).to_string();
    let name = format!("place {digest}");
    let mut why = PlaceTaken::Unknown;
    let taken = async {
        let mut look = tokio::time::interval(PLACE_LOOK);
        loop {
            look.tick().await;
            match state.shared().lease(&name).await {
                Ok(None) => return,
                Ok(Some(holder)) => {
                    let is_known = matches!(&why, PlaceTaken::By(known) if *known == holder);
                    if !is_known {
                        tracing::info!(
                            replica = holder,
                            "waits for the replica that serves the same, which may have died"
                        );
                    }
                    why = PlaceTaken::By(holder);
                }
                Err(_) => why = PlaceTaken::Unknown,
            }
        }
    };
    let is_taken = tokio::time::timeout(PLACE_TIME, taken).await.is_ok();
    if is_taken { Ok(()) } else { Err(why) }
}

/// Begins to exchange notices with the replicas, if there are any, until the engine ends.
pub(super) fn follow(engine: &Arc<Engine>) {
    let Some(heard) = engine.state.shared().watch() else { return };
    tokio::spawn(hear(Arc::downgrade(engine), heard));
    tokio::spawn(tell(Arc::downgrade(engine), engine.updates.listen_own()));
}

async fn hear(engine: Weak<Engine>, mut notices: Receiver<Heard>) {
    loop {
        let heard = match notices.recv().await {
            Ok(heard) => heard,
            Err(RecvError::Lagged(_)) => Heard::Missed,
            Err(RecvError::Closed) => return,
        };
        let Some(engine) = engine.upgrade() else { return };
        engine.pipeline.hear(&heard);
        match heard {
            Heard::Notice(Notice::Resource(uri)) => engine.updates.told(&uri),
            Heard::Notice(_) => {}
            Heard::Missed => engine.updates.missed(),
        }
    }
}

async fn tell(engine: Weak<Engine>, mut seen: Listener) {
    while let Some(uri) = seen.next().await {
        let Some(engine) = engine.upgrade() else { return };
        engine.state.shared().publish(Notice::Resource(uri.to_string())).await;
    }
}
