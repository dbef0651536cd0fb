//! A server inside an author's own program: called in process, over streams, and as a router in another
//! application.
#![expect(clippy::unwrap_used, reason = "a fixture that fails must fail the test")]

mod hooks;
mod kept;
mod mounted;
mod streams;

use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::sync::Notify;
use toolwrit::{Code, Context, Fault, Json, ResourceContents, Result, Updates, testing};

toolwrit::authority!("authority.yaml");

/// The number of berths.
const BERTHS: usize = 2;

/// The messages to the harbour, in order.
type Log = Arc<Mutex<Vec<String>>>;

#[derive(Default)]
struct Harbour {
    ships: Arc<Mutex<Vec<String>>>,
    log: Log,
    /// A ship that may not enter.
    banned: Option<&'static str>,
}

impl Harbour {
    fn logging(log: &Log) -> Self {
        Self { log: log.clone(), ..Self::default() }
    }

    fn note(&self, what: String) {
        self.log.lock().unwrap().push(what);
    }
}

impl toolwrit::App for Harbour {
    /// Notified when the tide turns.
    type Options = Arc<Notify>;

    async fn open(
        tide: Arc<Notify>,
        updates: Updates,
    ) -> std::result::Result<Self, Box<dyn std::error::Error>> {
        tokio::spawn(async move {
            loop {
                tide.notified().await;
                updates.resource("harbour://tide");
            }
        });
        Ok(Self::default())
    }

    async fn close(&self) {
        self.note("closed".to_owned());
    }

    async fn before(&self, cx: &Context) -> Result<()> {
        self.note(format!("before {} for {}", cx.operation(), cx.principal()));
        match self.banned {
            Some("panic") => panic!("the gate fell"),
            Some(name) if name == cx.principal().as_str() => {
                Err(Fault::new(Code::FocusRestricted, "You may not come in."))
            }
            _ => Ok(()),
        }
    }

    async fn after(&self, cx: &Context, outcome: std::result::Result<&Json, &Fault>) {
        let outcome = outcome.map_or_else(|fault| fault.code().to_string(), Json::to_string);
        self.note(format!("after {}: {outcome}", cx.operation()));
    }
}

impl berth::Handlers for Harbour {
    async fn moor(&self, cx: &Context, p: berth::Moor) -> Result<berth::MoorResult> {
        cx.progress(1.0, None, Some("made fast"));
        assert!(!p.panic, "the rope broke");
        let mut ships = self.ships.lock().unwrap();
        if ships.len() == BERTHS {
            let taken = errors::full("Every berth is taken.");
            return Err(taken.with_details(json!({"berths": BERTHS, "ships": *ships})));
        }
        let ship = cx.principal().to_string();
        ships.push(ship.clone());
        Ok(types::Berth { number: i64::try_from(ships.len()).unwrap(), ship })
    }

    async fn ships(&self, _: &Context, _: berth::Ships) -> Result<berth::ShipsResult> {
        Ok(self.ships.lock().unwrap().clone())
    }
}

impl resources::Handlers for Harbour {
    async fn tide(&self, _: &Context, _: resources::Tide) -> Result<ResourceContents> {
        Ok(ResourceContents::text("high"))
    }
}

#[tokio::test]
async fn a_handler_is_called_with_a_test_context() {
    let harbour = Harbour::default();
    let cx = Context::test().operation("berth.moor").principal("ahab").role("sailor").build();
    assert_eq!((cx.operation(), cx.role()), ("berth.moor", "sailor"));
    let moored = berth::Handlers::moor(&harbour, &cx, berth::Moor { panic: false }).await.unwrap();
    assert_eq!(moored, types::Berth { number: 1, ship: "ahab".to_owned() });
}

#[test]
fn a_test_context_has_the_values_of_its_builder() {
    let cx =
        Context::test().scope("a").scope("b").claim("team", "red").client("tests", "2").build();
    assert_eq!(
        (cx.scopes(), cx.claim("team")),
        (&["a".into(), "b".into()][..], Some(&json!("red")))
    );
    assert_eq!(cx.client().map(|client| (client.name(), client.version())), Some(("tests", "2")));
    assert!(!cx.is_cancelled() && Context::test().cancelled().build().is_cancelled());
    assert_eq!((cx.principal().as_str(), cx.role()), ("local", "owner"));
}

#[tokio::test]
async fn an_operation_is_called_through_the_pipeline() {
    let moored = testing::call::<Tools<Harbour>>(Harbour::default(), "berth.moor", json!({})).await;
    assert_eq!(moored.unwrap(), json!({"number": 1, "ship": "local"}));
    let wrong = json!({"panik": true});
    let fault = testing::call::<Tools<Harbour>>(Harbour::default(), "berth.moor", wrong).await;
    assert_eq!(fault.unwrap_err().code(), Code::ValidationError);
    let none = testing::call::<Tools<Harbour>>(Harbour::default(), "berth.sink", json!({})).await;
    assert_eq!(none.unwrap_err().code(), Code::ToolNotFound);
}
