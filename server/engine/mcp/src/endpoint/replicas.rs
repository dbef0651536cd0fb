//! What the engine does with notices of other replicas, and tells them.

use std::sync::{Arc, Weak};

use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::Engine;
use toolwrit_core::shared::{Heard, Notice};
use toolwrit_core::updates::Listener;

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
