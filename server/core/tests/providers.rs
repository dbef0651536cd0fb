//! How a server ends while its providers are examined.
#![allow(missing_docs, reason = "a test binary has no public items")]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::oneshot::{Sender, channel};
use toolwrit_core::arg_value::ArgValues;
use toolwrit_core::authority::{Authority, LiveAuthority, Tables};
use toolwrit_core::availability::Probe;
use toolwrit_core::context::Context;
use toolwrit_core::fault::Result;
use toolwrit_core::pipeline::{CallSettings, Pipeline};
use toolwrit_core::provider::{BoxFuture, Provider, Supervisors};
use toolwrit_core::recorder::Recorder;
use toolwrit_core::toolset::{RunningHandler, Toolset};
use toolwrit_core::updates::Updates;

/// An authority without operations.
struct Nothing;

impl Toolset for Nothing {
    fn authority(&self) -> Authority {
        static NOTHING: Tables<'_> = Tables::EMPTY;
        Authority::of(&NOTHING)
    }

    fn call<'a>(&'a self, _: usize, _: &'a Context, _: ArgValues) -> RunningHandler<'a> {
        unreachable!("there is no operation")
    }
}

/// A provider that never answers a probe.
struct Silent {
    begun: Mutex<Option<Sender<()>>>,
    has_ended: Arc<AtomicBool>,
}

/// Notes that a probe has ended.
struct Ending(Arc<AtomicBool>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Provider for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn probe(&self) -> BoxFuture<'_, Result<Probe>> {
        Box::pin(async {
            let _ending = Ending(self.has_ended.clone());
            self.begun.lock().unwrap().take().unwrap().send(()).unwrap();
            pending().await
        })
    }
}

/// A probe that outlives the runtime panics when it sleeps.
#[tokio::test]
async fn no_probe_runs_when_the_server_is_closed() {
    let (begun, has_begun) = channel();
    let has_ended = Arc::new(AtomicBool::new(false));
    let silent = Silent { begun: Mutex::new(Some(begun)), has_ended: has_ended.clone() };
    let (live, updates) = (LiveAuthority::new(Nothing.authority()), Updates::default());
    let supervisors = Arc::new(Supervisors::start(vec![Arc::new(silent)], &live, &updates));
    let settings = CallSettings::default();
    let pipeline = Pipeline::new(
        Arc::new(Nothing),
        supervisors.clone(),
        &settings,
        Recorder::default(),
        updates,
    );
    supervisors.states().begin();
    has_begun.await.unwrap();
    pipeline.close().await;
    assert!(has_ended.load(Ordering::SeqCst));
}
